import { json } from '../json.js';

export const route = {
  method: 'GET',
  path: /^\/links\/([0-9a-z]{7})\/stats$/,
  answer({ response, store, word: code }) {
    const link = store.find(code);
    if (link === null) return json(response, 404, { error: `no link has the code ${code}` });
    return json(response, 200, link);
  },
};
