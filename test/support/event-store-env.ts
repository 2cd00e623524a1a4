const urls = new Map<string, string>();

/** With TEST_EVENTSTORE, a program that a test starts on a database of a service has to know that service's event store, too. */
export function registerEventStore(databaseUrl: string, eventStoreUrl: string): void {
  urls.set(databaseUrl, eventStoreUrl);
}

export function eventStoreEnv(databaseUrl: string | undefined): Readonly<Record<string, string>> {
  const url = databaseUrl === undefined ? undefined : urls.get(databaseUrl);
  return url === undefined ? {} : { EVENTSTORE_URL: url };
}
