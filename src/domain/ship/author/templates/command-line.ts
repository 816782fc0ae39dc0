import { portOf, type AuthorLane, type PortBinding } from '../lane.ts';

/** What a container starts: the lane's own command, told to listen where the platform can reach it. */
export function startCommand(lane: AuthorLane): string | null {
  if (lane.start === null) return null;
  const port = portOf(lane);
  const binding = toldPort(lane.start, lane.portBinding ?? null);
  if (binding?.by !== 'flag' || port === null) return lane.start;
  const words = lane.start.split(/\s+/);
  const told = (flag: string): boolean =>
    words.some((word) => word === flag || word.startsWith(`${flag}=`));
  const value = BOTH.has(binding.flag) ? `0.0.0.0:${port}` : String(port);
  return [
    lane.start,
    ...(told(binding.flag) ? [] : [binding.flag, value]),
    ...(binding.host === undefined || told(binding.host) ? [] : [binding.host, '0.0.0.0']),
  ].join(' ');
}

/** Servers that listen on the loopback interface and read no variable, whatever the code they load says. */
const SERVERS: readonly (readonly [RegExp, PortBinding])[] = [
  [/^(?:\w+ run )?uvicorn\s/, { by: 'flag', flag: '--port', host: '--host' }],
  [/^(?:\w+ run )?flask(?:\s\S+)* run\b/, { by: 'flag', flag: '--port', host: '--host' }],
  [/^\.build\/release\/\S+ serve\b/, { by: 'flag', flag: '--port', host: '--hostname' }],
];

/** How a start command is told its port: as its server wants it, else as the scan found. */
export const toldPort = (start: string, found: PortBinding | null): PortBinding | null =>
  SERVERS.find(([pattern]) => pattern.test(start))?.[1] ?? found;

const BOTH = new Set(['--bind', '-b']);

const PLAIN_WORD = /^[A-Za-z0-9@%+=:,./_-]+$/;

/** The words of a command, or a shell around it where it uses one's syntax. */
export function argvOf(command: string): readonly string[] {
  const words = command.trim().split(/\s+/);
  const plain = words.every((word) => PLAIN_WORD.test(word)) && !(words[0] ?? '').includes('=');
  return plain ? words : ['sh', '-c', command.trim()];
}

// No backslash, no heredoc, no comment sign: nothing that would reach into the next line.
const ONE_LINE = /^[A-Za-z0-9@%+=:,./_ &|;"'()$*{}[\]!-]+$/;

/** A command as the arguments of `RUN`, in the form that cannot be misread. */
export const runArguments = (command: string): string =>
  ONE_LINE.test(command) ? command : JSON.stringify(['sh', '-c', command]);
