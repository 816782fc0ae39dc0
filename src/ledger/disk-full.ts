const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const POSTGRES_DISK_FULL = '53100';

/** Whether a write failed because there was no room for it; the transaction is then undone. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) {
    const primary = Number(error.errcode) & 0xff;
    // A file that may not grow fails like a broken disk: both say that nothing more can be written.
    return primary === SQLITE_FULL || primary === SQLITE_IOERR;
  }
  return 'code' in error && error.code === POSTGRES_DISK_FULL;
}
