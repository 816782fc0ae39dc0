import { json } from '../json.js';

export const route = {
  method: 'GET',
  path: /^\/$/,
  answer: ({ response }) => json(response, 200, { service: 'links' }),
};
