import { json } from '../json.js';

export const route = {
  method: 'GET',
  path: /^\/([0-9a-z]{7})$/,
  answer({ response, store, word: code }) {
    const link = store.find(code);
    if (link === null) return json(response, 404, { error: `no link has the code ${code}` });
    store.countVisit(code);
    return json(response, 302, { url: link.url }, { location: link.url });
  },
};
