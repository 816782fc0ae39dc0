const MOST_BYTES = 10_000;

/** Reads the body of a request as JSON; nobody may fill the memory with it. */
export async function readJson(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw refusal(413, `the body is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw refusal(400, 'the body is not JSON');
  }
}

const refusal = (status, text) => Object.assign(new Error(text), { status });
