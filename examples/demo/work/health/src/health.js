import { json } from './json.js';

/** Answered before the routes, so that a broken route does not make the service look ill. */
export function health(response, store) {
  try {
    store.check();
    return json(response, 200, { ok: true });
  } catch (error) {
    return json(response, 503, { ok: false, error: error.message });
  }
}
