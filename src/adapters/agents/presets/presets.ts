import type { Capabilities } from '../../../ports/agent.ts';
import type { LineReader } from '../output-parser.ts';
import { forClaude, forCodex, forGemini, forOpencode, type Offer } from '../mcp-offer.ts';
import { readClaudeLine } from './claude-lines.ts';
import { readCodexLine } from './codex-lines.ts';
import { readGeminiLine } from './gemini-lines.ts';
import { readOpencodeLine } from './opencode-lines.ts';

export const PRESET_NAMES = ['claude', 'codex', 'opencode', 'gemini'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** A command line that we know: how to call it quietly, what it may see, how it talks. */
export type Preset = {
  /** Reads the prompt from its input. May edit files and run commands in its worktree. */
  readonly command: (
    env: Readonly<Record<string, string>>,
    session: string | null,
    /** Options that offer Convoy's tools. */
    offer: readonly string[],
  ) => readonly string[];
  /** How it is told of Convoy's tools. */
  readonly offer: Offer;
  /** Names of its credentials and settings in the engine's environment; no other agent sees them. */
  readonly own: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
  readonly read: LineReader;
  readonly capabilities: Capabilities;
};

const claude: Preset = {
  command: (_, session, offer) => [
    'claude',
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    // Skipping every question is refused to root; this allows edits in the worktree only.
    '--permission-mode',
    'acceptEdits',
    '--allowedTools',
    'Bash',
    ...offer,
    ...(session === null ? [] : ['--resume', session]),
  ],
  offer: forClaude,
  own: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
  ],
  fixed: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // Left alone it asks a server that refuses the key for more than a minute.
    CLAUDE_CODE_MAX_RETRIES: '4',
  },
  read: readClaudeLine,
  capabilities: { stream: true, permissions: false, resume: true, cost: true },
};

const codex: Preset = {
  command: (env, session, offer) => [
    'codex',
    'exec',
    ...(session === null ? [] : ['resume', session]),
    '--json',
    ...(session === null ? ['-s', 'workspace-write'] : ['-c', 'sandbox_mode="workspace-write"']),
    '--disable',
    'plugins',
    // Otherwise it waits for ever for a server that is not there.
    '--disable',
    'unbounded_connection_retries',
    '-c',
    'analytics.enabled=false',
    '-c',
    'check_for_update_on_startup=false',
    ...codexModel(env),
    ...codexProvider(env['OPENAI_BASE_URL']),
    ...offer,
    '-',
  ],
  offer: forCodex,
  own: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY', 'CODEX_HOME', 'CODEX_MODEL'],
  fixed: {},
  read: readCodexLine,
  capabilities: { stream: true, permissions: false, resume: true, cost: false },
};

const codexModel = (env: Readonly<Record<string, string>>): string[] =>
  env['CODEX_MODEL'] === undefined ? [] : ['-m', env['CODEX_MODEL']];

/** Its own provider tries web sockets first when the address is not the vendor's; a named one does not. */
const codexProvider = (url: string | undefined): string[] =>
  url === undefined
    ? []
    : [
        '-c',
        'model_provider="given"',
        '-c',
        // A JSON string is also a TOML string.
        `model_providers.given={name="given",base_url=${JSON.stringify(url)},wire_api="responses",env_key="OPENAI_API_KEY"}`,
      ];

const opencode: Preset = {
  command: (_, session) => [
    'opencode',
    'run',
    '--format',
    'json',
    ...(session === null ? [] : ['--session', session]),
  ],
  offer: forOpencode,
  own: [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'OPENCODE_API_KEY',
    'OPENCODE_CONFIG',
    'OPENCODE_CONFIG_CONTENT',
    'OPENCODE_CONFIG_DIR',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_STATE_HOME',
  ],
  fixed: {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  },
  read: readOpencodeLine,
  capabilities: { stream: true, permissions: false, resume: true, cost: true },
};

const gemini: Preset = {
  command: (_, session) => [
    'gemini',
    '--yolo',
    '--skip-trust',
    '-o',
    'stream-json',
    ...(session === null ? [] : ['--resume', session]),
  ],
  offer: forGemini,
  own: [
    'GEMINI_API_KEY',
    'GEMINI_MODEL',
    'GOOGLE_API_KEY',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
  ],
  fixed: {},
  read: readGeminiLine,
  capabilities: { stream: true, permissions: false, resume: true, cost: false },
};

export const PRESETS: Readonly<Record<PresetName, Preset>> = { claude, codex, opencode, gemini };
