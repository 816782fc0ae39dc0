const SECRET_KEYS = ['user', 'password', 'sslpassword', 'sslkey'];

/** A Postgres address as it may be shown to anybody. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…';
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  for (const key of SECRET_KEYS) shown.searchParams.delete(key);
  return shown.href;
}
