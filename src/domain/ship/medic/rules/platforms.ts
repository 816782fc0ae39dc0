import type { CaseFile } from '../case-file.ts';
import { lineIn, settingLine } from '../places.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';
import { fromWordings, plainRow } from './wording.ts';
import type { PlainRow } from './wording.ts';

const LISTENS =
  /\.listen\(|ListenAndServe|uvicorn\.run|app\.run\(|\bserve\(|HTTPServer\(|\.bind\(|server\.port/;

const listenLine = (file: CaseFile): Place | null => {
  const all = grep(file.repo, LISTENS);
  return all.find(({ text }) => /\b\d{4,5}\b/.test(text) && !/env/i.test(text)) ?? all[0] ?? null;
};

/** What the tools of the hosting platforms say when a release does not come up. */
const ROWS: readonly PlainRow[] = [
  {
    rule: 'platform-port',
    pattern:
      /failed to start and listen on the port defined (?:provided )?by the PORT=(\d+)|[Ii]s your app listening on \S+?:(\d+)\?|Web process failed to bind to \$PORT within|Error R10|No open (?:HTTP )?ports? detected|Port scan timeout reached|The app is not listening on the expected address|Application failed to respond/,
    score: 84,
    classification: 'config',
    says: 'The platform found nothing that listens on the port it expects ({}): the service must listen on 0.0.0.0 at the port in PORT.',
    otherwise: 'the one in PORT',
    fix: 'Listen on 0.0.0.0 and on the port in PORT, or tell the platform the port that the service uses.',
    place: (_hit, file) => listenLine(file),
  },
  {
    rule: 'output-directory',
    pattern:
      /No Output Directory named "([^"]+)" found|[Oo]utput directory "?([\w./-]+)"? (?:not found|does not exist|is empty)|Deploy directory '?([\w./-]+)'? does not exist|publish directory "?([\w./-]+)"? (?:not found|does not exist)|Publish directory (\S+) does not exist/,
    score: 95,
    classification: 'config',
    says: 'The platform looks for the built files in {}, but the build puts them elsewhere.',
    fix: 'Name the directory that the build really fills in the platform’s settings.',
    place: (_hit, file) =>
      lineIn(
        file,
        /outputDirectory|publish\s*=|output_dir|distDir|static/i,
        /(?:vercel|firebase|wrangler|now)\.jsonc?$|netlify\.toml$|fly\.toml$|railway\.\w+$|render\.ya?ml$/,
      ),
  },
  {
    rule: 'no-build-plan',
    pattern:
      /Nixpacks was unable to generate a build plan|Railpack could not determine how to build|No default language could be detected|App not compatible with buildpack|could not find a Dockerfile|Could not detect (?:a )?(?:supported )?(?:framework|runtime|language)|ERROR: No buildpack groups passed detection|unable to detect (?:runtime|buildpack)/i,
    score: 92,
    classification: 'config',
    says: 'The platform cannot tell how to build this lane: {line}.',
    fix: 'Give the lane a Dockerfile or the manifest that the platform’s builder looks for, in the directory it builds.',
  },
  {
    rule: 'platform-login',
    pattern:
      /No access token available\. Please login|You do not currently have an active account selected|Reauthentication (?:failed|required)|The specified token is not valid|Unauthorized\. Please (?:run|login)|Not logged in|Error: not authenticated|You must be logged in|Invalid credentials provided.*(?:heroku|fly|vercel|railway)|No existing credentials found\. Please log in|Project not found or no access/,
    score: 94,
    classification: 'config',
    says: 'The platform’s tool is not logged in, or its token may not do this: {line}.',
    fix: 'Log in with the platform’s tool or give it a valid token.',
  },
  {
    rule: 'platform-quota',
    pattern:
      /[Qq]uota (?:exceeded|'[^']+' exceeded)|exceeded (?:your|the) (?:\w+ )?(?:plan|quota|limit)|trial has ended|billing account .*(?:disabled|not)|payment (?:method )?required|insufficient (?:resources|capacity) (?:to|in)|no capacity available|Your account is suspended/i,
    unless: /\b429\b|[Tt]oo [Mm]any [Rr]equests/,
    score: 88,
    classification: 'infra',
    says: 'The platform refuses for reasons of quota, plan or capacity: {line}.',
    fix: 'Raise the quota or plan, or choose another region or size.',
  },
  {
    rule: 'release-command',
    pattern:
      /release_command failed|[Rr]elease command (?:failed|exited)(?: .*)?|error release_command .*|Pre-?deploy command failed/,
    tier: 'fault',
    score: 70,
    classification: 'config',
    says: 'The command that the platform runs before a release failed: {line}.',
    fix: 'Run the command by hand with the release’s environment and look at what it says.',
    place: (_hit, file) => settingLine(file, /release_command|preDeployCommand|^release:/),
  },
];

/** The hosting platform itself says what is wrong. */
export const platforms = fromWordings(ROWS.map(plainRow));
