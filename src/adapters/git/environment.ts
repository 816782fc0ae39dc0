/**
 * What git may see of our environment, and the settings no configuration file may override.
 *
 * A repository's own config can name programs (filters, fsmonitor, merge drivers, ssh commands,
 * aliases …). It is not filtered here: git never reads it, see view.ts. The user's global config is
 * read, because it is the user's; what must not run even so is switched off below.
 */
export function gitEnvironment(
  from: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
  network: boolean,
): Record<string, string> {
  const kept = Object.fromEntries(
    [...PASSED_ON, ...(network ? PASSED_ON_TO_REMOTES : [])].flatMap((name) => {
      const value = from[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    ...kept,
    PATH: absoluteEntries(from['PATH'] ?? '/usr/bin:/bin'),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_PAGER: 'cat',
    GIT_ATTR_NOSYSTEM: '1',
    // Either could make history look different from what it is.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_ADVICE: '0',
    ...(network
      ? { GIT_SSH_COMMAND: from['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes' }
      : { GIT_CONFIG_NOSYSTEM: '1' }),
    ...extra,
  };
}

/** Command-line settings outrank every file; a list so that order is plain. */
export const ALWAYS: readonly string[] = settings({
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  // An index is only as honest as the times it compares.
  'core.trustctime': 'true',
  'core.checkStat': 'default',
  'core.splitIndex': 'false',
  'core.editor': 'true',
  'core.pager': 'cat',
  'core.quotePath': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.filesRefLockTimeout': '2000',
  'core.packedRefsTimeout': '5000',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'push.gpgSign': 'false',
  'merge.renames': 'true',
  'merge.conflictStyle': 'merge',
  'diff.external': '',
  'diff.ignoreSubmodules': 'all',
  'diff.noprefix': 'false',
  'diff.mnemonicPrefix': 'false',
  'diff.renames': 'false',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'log.showSignature': 'false',
  'color.ui': 'false',
});

/** Which transports a call may use; none unless it talks to a remote. */
export function transports(allowed: 'none' | 'remote' | 'local'): string[] {
  return settings({
    'protocol.allow': 'never',
    'protocol.ext.allow': 'never',
    'protocol.file.allow': allowed === 'local' ? 'always' : 'never',
    ...(allowed === 'remote' ? REMOTE_PROTOCOLS : {}),
  });
}

const REMOTE_PROTOCOLS = {
  'protocol.https.allow': 'always',
  'protocol.http.allow': 'always',
  'protocol.ssh.allow': 'always',
  'protocol.git.allow': 'always',
};

export function settings(of: Readonly<Record<string, string>>): string[] {
  return Object.entries(of).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

const PASSED_ON = ['HOME', 'XDG_CONFIG_HOME', 'USER', 'LOGNAME', 'TMPDIR', 'GIT_CONFIG_GLOBAL'];
const PASSED_ON_TO_REMOTES = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** A relative entry would let the directory we stand in supply the `git` we run. */
function absoluteEntries(path: string): string {
  return path
    .split(':')
    .filter((entry) => entry.startsWith('/'))
    .join(':');
}
