/** The part of the wrapper that keeps what a program writes, as text; see wrapper-source.ts. */
export const OUTPUT_SOURCE = String.raw`
const HELD_MS = 200;
const DRAIN_MS = 300;
const DRAIN_LOOK_MS = 10;

/** Both streams in one log, switching between them at line ends, so that a line stays a line. */
function interleave(out, err, write) {
  let open = null;
  const held = new Map();
  const other = (stream) => (stream === out ? err : out);
  const take = (stream, chunk) => {
    if (open !== null && open !== stream) return hold(stream, chunk);
    const cut = held.has(other(stream)) ? chunk.lastIndexOf(10) + 1 : 0;
    if (cut === 0 || cut === chunk.length) put(stream, chunk);
    else {
      put(stream, chunk.subarray(0, cut));
      take(stream, chunk.subarray(cut));
    }
  };
  const put = (stream, chunk) => {
    write(chunk);
    open = chunk[chunk.length - 1] === 10 ? null : stream;
    if (open === null) release(other(stream));
  };
  const hold = (stream, chunk) => {
    const before = held.get(stream);
    stream.pause();
    if (before) before.chunks.push(chunk);
    else held.set(stream, { chunks: [chunk], timer: setTimeout(() => ((open = null), release(stream)), HELD_MS) });
  };
  const release = (stream) => {
    const waiting = held.get(stream);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    held.delete(stream);
    for (const chunk of waiting.chunks) put(stream, chunk);
    stream.resume();
  };
  for (const stream of [out, err]) {
    stream.on('data', (chunk) => take(stream, chunk));
    stream.on('error', () => {});
    stream.on('end', () => {
      if (open === stream) (open = null), release(other(stream));
    });
  }
  return () => [out, err].forEach(release);
}

/** Output still in the pipe is read; a stray that keeps the pipe open is not waited for. */
function drained(closed, log, at) {
  return new Promise((resolve) => {
    const limit = Date.now() + DRAIN_MS * 5;
    const isQuiet = () => Date.now() - Math.max(at, log.lastWrite()) > DRAIN_MS;
    const look = setInterval(() => {
      if (isQuiet() || Date.now() >= limit) done();
    }, DRAIN_LOOK_MS);
    const done = () => (clearInterval(look), resolve());
    closed.then(done);
  });
}

/** Head and tail in fixed space. A disk that takes no more costs output, never the program. */
function outputLog(file, outputBytes) {
  const HEAD = Math.floor(outputBytes / 2);
  const SEGMENT = Math.max(1, Math.floor(outputBytes / 4));
  let bytes = 0;
  let unwritten = 0;
  let segment = -1;
  let begin = 0;
  let last = Date.now();
  let fd = fs.openSync(file('out.log'), 'w', 0o600);
  const finish = () => (segment < 0 ? HEAD : HEAD + (segment + 1) * SEGMENT);
  const close = () => {
    ignoring(() => fs.closeSync(fd));
    fd = -1;
  };
  const turn = () => {
    begin = finish();
    segment += 1;
    close();
    ignoring(() => (fd = fs.openSync(file('tail.' + segment + '.log'), 'w', 0o600)));
    fs.rmSync(file('tail.' + (segment - 2) + '.log'), { force: true });
  };
  const put = (part) => {
    let done = 0;
    ignoring(() => {
      while (done < part.length)
        done += fs.writeSync(fd, part, done, part.length - done, bytes - begin + done);
    });
    unwritten += part.length - done;
    bytes += part.length;
  };
  const write = (chunk) => {
    last = Date.now();
    for (let at = 0; at < chunk.length; ) {
      if (bytes === finish()) turn();
      const part = chunk.subarray(at, at + finish() - bytes);
      put(part);
      at += part.length;
    }
  };
  const size = () => ({
    bytes,
    dropped: Math.min(bytes, Math.max(0, segment - 1) * SEGMENT + unwritten),
  });
  return { write, size, close, lastWrite: () => last };
}
`;
