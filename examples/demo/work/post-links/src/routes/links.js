import { readJson } from '../body.js';
import { json } from '../json.js';
import { shortCode } from '../short-code.js';

export const route = {
  method: 'POST',
  path: /^\/links$/,
  async answer({ request, response, store }) {
    const body = await readJson(request);
    const url = addressIn(body?.url);
    if (url === null) return json(response, 400, { error: 'url must be an http(s) address' });
    const code = shortCode((one) => store.find(one) !== null);
    store.save(code, url);
    return json(response, 201, { code, url }, { location: `/links/${code}/stats` });
  },
};

function addressIn(text) {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
