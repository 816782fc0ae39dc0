/**
 * The first command of a process namespace; it stays as long as anything runs there.
 *
 * The namespace ends with its first command. A service that is asked to end together with that
 * command would be cut off, and one that goes into the background would never be seen. Arguments:
 * how many processes may remain when it ends, the command.
 */
export const STAY_SOURCE = `
alone=$1; shift
trap : TERM INT HUP
"$@" &
child=$!
exec >/dev/null 2>&1
while :; do wait "$child"; code=$?; kill -0 "$child" || break; done
while set -- /proc/[0-9]*; [ "$#" -gt "$alone" ]; do sleep 0.05; done
exit "$code"
`;
