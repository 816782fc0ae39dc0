import { allRoutes } from '../../contract/all-routes.ts';
import type { AnyRoute } from '../../contract/route.ts';
import { openApiDocument } from '../openapi.ts';
import { html, type Html, join } from './html.ts';
import { schemaLines } from './schema-lines.ts';

/** The reference of the API as one page of plain HTML: no script, nothing from anywhere else. */
export function referencePage(version: string): string {
  const document = openApiDocument(version);
  const tags = [...new Set(allRoutes.map(({ tag }) => tag))];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Convoy API ${version}</title>
        <link rel="stylesheet" href="/reference.css" />
      </head>
      <body>
        <header>
          <h1>Convoy API <small>${version}</small></h1>
          <p>
            Every route, read from the schemas that check the requests. The same as a machine reads
            it: <a href="/openapi.json">openapi.json</a>. Send
            <code>Authorization: Bearer</code> with a token; errors are
            <code>application/problem+json</code>; events stream from
            <code>/api/v1/events</code> when <code>text/event-stream</code> is accepted, and go on
            after <code>Last-Event-ID</code>.
          </p>
        </header>
        <nav aria-label="Groups">
          ${join(tags.map((tag) => html`<a href="#${tag}">${tag}</a> `))}
        </nav>
        <main>${join(tags.map((tag) => group(tag, document)))}</main>
      </body>
    </html>`.text;
}

const group = (tag: string, document: object): Html =>
  html` <section id="${tag}">
    <h2>${tag}</h2>
    ${join(allRoutes.filter((route) => route.tag === tag).map((route) => operation(route, document)))}
  </section>`;

function operation(route: AnyRoute, document: object): Html {
  const path = `/api/v1${route.path}`;
  const described = at(document, 'paths', path, route.method.toLowerCase());
  const roles = [...new Set([...route.roles, 'operator'])];
  return html` <details id="${route.id}">
    <summary>
      <b class="${route.method}">${route.method}</b> <code>${path}</code> ${route.summary}
    </summary>
    <p>For ${roles.join(', ')}. Operation <code>${route.id}</code>.</p>
    ${parameters(at(described, 'parameters'))}
    ${schema('Body', at(described, 'requestBody', 'content', 'application/json', 'schema'), document)}
    ${schema('Answer', at(described, 'responses', '200', 'content', 'application/json', 'schema'), document)}
  </details>`;
}

function parameters(list: unknown): Html {
  if (!Array.isArray(list) || list.length === 0) return html``;
  const rows = list.map(
    (parameter: unknown) =>
      html`<tr>
        <td><code>${word(parameter, 'name')}</code></td>
        <td>${word(parameter, 'in')}</td>
        <td>${at(parameter, 'required') === true ? 'required' : 'optional'}</td>
        <td>${word(at(parameter, 'schema'), 'description')}</td>
      </tr>`,
  );
  return html`<h3>Parameters</h3>
    <table>
      ${join(rows)}
    </table>`;
}

function schema(title: string, described: unknown, document: object): Html {
  if (described === undefined) return html``;
  return html`<h3>${title}</h3>
    <pre>${schemaLines(described, document).join('\n')}</pre>`;
}

/** What stands at a path of nested objects, or undefined. */
function at(value: unknown, ...keys: string[]): unknown {
  let found = value;
  for (const key of keys)
    found =
      typeof found === 'object' && found !== null
        ? Object.getOwnPropertyDescriptor(found, key)?.value
        : undefined;
  return found;
}

function word(value: unknown, key: string): string {
  const found = at(value, key);
  return typeof found === 'string' ? found : '';
}
