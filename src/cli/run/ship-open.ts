import { startLogin } from '../../contract/routes/tokens.ts';
import type { CommandContext } from '../context.ts';
import { openBrowser } from './open-browser.ts';

/** Shows a page in the browser, logged in; where that is not possible it says so and goes on. */
export async function openPage(
  { client, interactive, env, err }: Pick<CommandContext, 'client' | 'interactive' | 'env' | 'err'>,
  id: string,
): Promise<void> {
  const login = await (await client()).call(startLogin, { body: { id } });
  if (!login.ok) {
    const remedy = login.error.remedy === undefined ? '' : ` ${login.error.remedy}`;
    return err(`Not opened: ${login.error.message}${remedy}`);
  }
  const opened = interactive && (await openBrowser(login.value.url, env));
  err(opened ? 'Opened in your browser.' : `Open this once, within a minute: ${login.value.url}`);
}
