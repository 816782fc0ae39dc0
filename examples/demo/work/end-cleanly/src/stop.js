const PATIENCE_MS = 10_000;
const SWEEP_MS = 50;

/** Takes no new requests, lets those under way finish for at most ten seconds, then tidies up. */
export function stop(server, tidyUp, patienceMs = PATIENCE_MS) {
  // A connection that is kept alive becomes idle only when its request is answered.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), patienceMs);
  server.close(() => {
    clearInterval(sweep);
    clearTimeout(limit);
    tidyUp();
  });
}
