/** Reads the body of a request as JSON. */
export async function readJson(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  try {
    return JSON.parse(text);
  } catch {
    throw Object.assign(new Error('the body is not JSON'), { status: 400 });
  }
}
