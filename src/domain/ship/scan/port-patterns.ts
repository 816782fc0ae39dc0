/** A way of writing a port in program text; `env` says that the variable PORT-like decides at run time. */
export interface PortPattern {
  readonly pattern: RegExp;
  readonly rule: string;
  readonly env: boolean;
}

const env = (rule: string, pattern: RegExp): PortPattern => ({ rule, pattern, env: true });
const literal = (rule: string, pattern: RegExp): PortPattern => ({ rule, pattern, env: false });

/** Ordered: a variable with a default says more than a number in a call. */
export const PORT_PATTERNS: readonly PortPattern[] = [
  env(
    'env-with-default',
    /(?:process\.env|Bun\.env|import\.meta\.env|\benv)(?:\.|\[['"])(?<name>\w*PORT)\b(?:\s+as\s+\w+)?['"\])\s,!10]*?(?:\|\||\?\?)\s*['"`]?(?<port>\d{2,5})\b/g,
  ),
  env(
    'env-with-default',
    /\{[^}\n]*\b(?<name>PORT)\s*(?::\s*\w+\s*)?=\s*['"]?(?<port>\d{2,5})\b[^}\n]*\}\s*=\s*process\.env/g,
  ),
  env(
    'env-with-default',
    /\b(?:get|getenv|get_env|fetch|getOrDefault|GetValue|getString|getInt|env|getEnv|envOr|getenvDefault|GetEnv|env_or|cast|config|str|int)\w*(?:<[^>]*>)?\(\s*['"](?<name>(?:\w+_)?PORT)['"]\s*,\s*(?:default\s*=\s*)?['"]?:?(?<port>\d{2,5})\b/gi,
  ),
  env(
    'env-with-default',
    /\b(?:get|getenv|get_env|GetEnvironmentVariable|fetch|getString|env)\w*(?:<[^>]*>)?\(\s*['"](?<name>(?:\w+_)?PORT)['"]\s*\)[^\n\d]{0,40}?(?:\|\||\?\?|\?:|\bor\b|\{|flatMap\(Int\.init\))\s*(?:\?\?\s*)?['"]?(?<port>\d{2,5})\b/gi,
  ),
  env(
    'env-with-default',
    /ENV\[['"](?<name>PORT)['"]\]\s*(?:\|\||&\.to_i\s*\|\|)\s*['"]?(?<port>\d{2,5})/g,
  ),
  env(
    'env-with-default',
    /\b(?:env::var|std::env::var|env_var|env!?)\(\s*"(?<name>(?:\w+_)?PORT)"\s*\)[\s\S]{0,160}?unwrap_or(?:_else)?\(\s*(?:\|_\|\s*)?(?:String::from\()?"?(?<port>\d{2,5})/g,
  ),
  env(
    'env-with-default',
    /os\.Getenv\("(?<name>(?:\w+_)?PORT)"\)[\s\S]{0,160}?=\s*"?:?(?<port>\d{2,5})"?\s*$/gm,
  ),
  env(
    'env-with-default',
    /process\.env\.(?<name>\w*PORT)\s*\?[^;:\n]*:\s*['"]?(?<port>\d{2,5})\b/g,
  ),
  env(
    'env-schema',
    /\b(?<name>PORT)\b['"]?\s*[:=][^\n]{0,90}?\bdefault['"]?\s*[:=(]\s*['"]?(?<port>\d{2,5})\b/g,
  ),
  env(
    'env-schema',
    /\b(?<name>PORT)\b['"]?\s*:\s*\{[^}]{0,120}?\bdefault['"]?\s*:\s*['"]?(?<port>\d{2,5})\b/g,
  ),
  env(
    'env-schema',
    /`[^`\n]*(?:env|envconfig):"(?<name>\w*PORT)[^`\n]*(?:envD|d)efault:":?(?<port>\d{2,5})"/g,
  ),
  literal('listen-call', /\.listen\(\s*(?<port>\d{2,5})\b/g),
  literal('listen-call', /\.listen\(\s*\{[^}]*?\bport\s*:\s*(?<port>\d{2,5})\b/g),
  literal(
    'serve-call',
    /\b(?:serve|server|Server)\(\s*\{[\s\S]{0,300}?\bport\s*:\s*(?<port>\d{2,5})\b/g,
  ),
  literal('serve-call', /export default\s*\{\s*[\s\S]{0,60}?\bport\s*:\s*(?<port>\d{2,5})\b/g),
  literal(
    'listen-call',
    /\b(?:ListenAndServe|Listen|Run|Start|ListenTLS|ListenAndServeTLS|NewServer)\(\s*(?:"tcp",\s*)?"(?:[\w.]*):(?<port>\d{2,5})"/g,
  ),
  literal('listen-call', /\bAddr\s*[:=]\s*"[\w.]*:(?<port>\d{2,5})"/g),
  literal(
    'listen-flag',
    /flag\.(?:String|Int)(?:Var)?\((?:&\w+(?:\.\w+)?,\s*)?"(?:addr|port|listen|http-addr|http|bind)",\s*"?[\w.]*:?(?<port>\d{2,5})/g,
  ),
  literal('run-call', /\brun\([^)\n]*\bport\s*=\s*(?<port>\d{2,5})\b/g),
  literal(
    'run-call',
    /\b(?:uvicorn\.run|run_app|app\.run|web\.run_app|serve|make_server)\([\s\S]{0,200}?\bport\s*=\s*(?<port>\d{2,5})\b/g,
  ),
  literal(
    'bind-call',
    /\bbind\(\s*(?:&?"[\w.:[\]]*:|\(\s*"[\w.:]*",\s*|&?\(\[[\d,\s]*\],\s*)(?<port>\d{2,5})\b/g,
  ),
  literal('bind-call', /SocketAddr::from\(\s*\(\[[\d,\s]*\],\s*(?<port>\d{2,5})\b/g),
  literal('bind-address', /"(?:0\.0\.0\.0|127\.0\.0\.1|\[::\]|localhost):(?<port>\d{2,5})"/g),
  literal('bind-address', /\b\w*[aA]ddr\w*\s*:?=\s*"[\w.]*:(?<port>\d{2,5})"/g),
  literal('server-setting', /\bset\s+:port,\s*(?<port>\d{2,5})\b/g),
  literal('server-setting', /configuration\.port\s*=\s*(?<port>\d{2,5})\b/g),
  literal('server-setting', /embeddedServer\(\s*\w+\s*,\s*(?:port\s*=\s*)?(?<port>\d{2,5})\b/g),
  literal(
    'server-setting',
    /(?:UseUrls|app\.Run|Urls\.Add)\(\s*"https?:\/\/[^:"]+:(?<port>\d{2,5})"/g,
  ),
  literal('server-setting', /\b(?:app|server)\.start\(\s*(?<port>\d{2,5})\b/g),
  literal(
    'constant',
    /\b(?:const|let|var|static|final int|int|val)\s+(?:HTTP_|SERVER_|http|server)?port\b\s*(?::\s*\w+\s*)?(?:=|:=)\s*"?:?(?<port>\d{2,5})\b/gi,
  ),
  literal('constant', /^[ \t]*(?:port|PORT)\s*(?::\s*int\s*)?(?:=|:=)\s*"?:?(?<port>\d{2,5})\b/gm),
  literal('constant', /\bport\s*:\s*(?<port>\d{2,5})\s*,?\s*\}?\s*\)?;?\s*$/gm),
];
