/** Writes one line of JSON when a request has been answered. */
export function logRequest(request, response, write) {
  const { method, url: path } = request;
  const began = performance.now();
  response.once('finish', () => {
    const ms = Math.round(performance.now() - began);
    write(
      JSON.stringify({
        at: new Date().toISOString(),
        method,
        path,
        status: response.statusCode,
        ms,
      }),
    );
  });
}
