import type { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../../kernel/errors.ts';

type Library = typeof import('@eventstore/db-client');

export interface Session {
  readonly client: EventStoreDBClient;
  readonly library: Library;
}

/** A dead peer is noticed after 13 s instead of 20, and a cluster gets time to elect a leader. What the operator's address says wins. */
const DEFAULTS = { keepAliveInterval: 10_000, keepAliveTimeout: 3_000, maxDiscoverAttempts: 50, discoveryInterval: 200 };

/** The address as this client reads it: it refuses the `kurrentdb` scheme, though the protocol is the same. */
export function clientAddress(url: string): string {
  const address = url.replace(/^kurrentdb(\+discover)?:/, 'esdb$1:');
  const missing = Object.entries(DEFAULTS).filter(([key]) => !new RegExp(`[?&]${key}=`, 'i').test(address));
  const settings = missing.map(([key, value]) => `${key}=${String(value)}`).join('&');
  if (settings === '') return address;
  return `${address}${address.includes('?') ? '&' : '?'}${settings}`;
}

/** The client, opened when it is first needed: loading its package costs a tenth of a second that an installation on Postgres never pays. */
export class Connection {
  private session: Promise<Session> | undefined;

  constructor(private readonly url: string) {}

  open(): Promise<Session> {
    this.session ??= openSession(this.url);
    return this.session;
  }

  async close(): Promise<void> {
    const session = this.session;
    this.session = undefined;
    const opened = await session?.catch(() => undefined);
    await opened?.client.dispose();
  }
}

async function openSession(url: string): Promise<Session> {
  const library = await import('@eventstore/db-client');
  const client = library.EventStoreDBClient.connectionString(clientAddress(url));
  // Without this the client negotiates batch appends, whose pending calls sit in one map for the whole process:
  // a broken stream of one client rejects another's appends, and a late reply throws outside any promise.
  Object.defineProperty(client, 'supports', { value: () => Promise.resolve(false) });
  return { client, library };
}

/** No repeat mends these two, only an operator. */
export class AddressRefused extends StoreUnavailable {
  constructor(cause: unknown) {
    super('EVENTSTORE_URL cannot be used', { cause });
  }
}

export class AccessRefused extends StoreUnavailable {
  constructor(cause: unknown) {
    super('the event store refuses the user or password in EVENTSTORE_URL', { cause });
  }
}

/** The client's name of what went wrong, empty where it has none. */
export const errorType = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'type' in error && typeof error.type === 'string' ? error.type : '';
