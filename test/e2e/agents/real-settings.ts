import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PresetName } from '../../../src/adapters/agents/presets/presets.ts';

/** The real command lines, where `node scripts/agents-install.mjs` has put them. */
export const BIN = join(import.meta.dirname, '..', '..', '..', '.agents', 'node_modules', '.bin');

/** What a user would have set for each, pointed at the fake model. */
export async function settingsFor(
  preset: PresetName,
  home: string,
  url: string,
): Promise<Record<string, string>> {
  const key = `key-of-${preset}`;
  switch (preset) {
    case 'claude':
      return { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url, OPENAI_API_KEY: 'not-yours' };
    case 'codex':
      await mkdir(join(home, 'codex'), { recursive: true });
      return {
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: `${url}/v1`,
        CODEX_HOME: join(home, 'codex'),
        CODEX_MODEL: 'fake-model',
      };
    case 'gemini':
      await mkdir(join(home, '.gemini'), { recursive: true });
      await writeFile(
        join(home, '.gemini', 'settings.json'),
        JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' } },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          general: { enableAutoUpdate: false },
        }),
      );
      return { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: 'gemini-2.5-pro' };
    case 'opencode':
      return { OPENCODE_CONFIG: await opencodeConfig(home, url, key) };
    default:
      return preset satisfies never;
  }
}

async function opencodeConfig(home: string, url: string, key: string): Promise<string> {
  const file = join(home, 'opencode.json');
  const model = { name: 'Fake', tool_call: true, limit: { context: 128_000, output: 8192 } };
  await writeFile(
    file,
    JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'fake/fake-model',
      small_model: 'fake/fake-model',
      enabled_providers: ['fake'],
      permission: { edit: 'allow', bash: 'allow', webfetch: 'deny' },
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Fake',
          options: { baseURL: `${url}/v1`, apiKey: key },
          models: { 'fake-model': model },
        },
      },
    }),
  );
  return file;
}
