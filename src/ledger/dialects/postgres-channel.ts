/** What those who wait for changes listen to. */
export const CHANNEL = 'convoy_changes';

export const NOTIFY = `select pg_notify('${CHANNEL}', '')`;
