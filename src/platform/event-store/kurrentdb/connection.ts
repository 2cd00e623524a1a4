import type { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../../../kernel/errors.ts';

type Library = typeof import('@eventstore/db-client');

export interface Session {
  readonly client: EventStoreDBClient;
  readonly library: Library;
}

/** Detects a dead peer after 13 s instead of 20 and gives a cluster time to elect a leader. Settings in the operator's URL win. */
const DEFAULTS = { keepAliveInterval: 10_000, keepAliveTimeout: 3_000, maxDiscoverAttempts: 50, discoveryInterval: 200 };

/** Rewrites the URL for this client, which refuses the `kurrentdb` scheme although the protocol is the same. */
export function clientAddress(url: string): string {
  const address = url.replace(/^kurrentdb(\+discover)?:/, 'esdb$1:');
  const missing = Object.entries(DEFAULTS).filter(([key]) => !new RegExp(`[?&]${key}=`, 'i').test(address));
  const settings = missing.map(([key, value]) => `${key}=${String(value)}`).join('&');
  if (settings === '') return address;
  return `${address}${address.includes('?') ? '&' : '?'}${settings}`;
}

/** Opens the client on first use: loading its package costs 0.1 s, which an installation on Postgres should not pay. */
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

/** Like `AccessRefused`: only an operator can mend it, not a retry. */
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

/** The client library's error type, '' for any other error. */
export const errorType = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'type' in error && typeof error.type === 'string' ? error.type : '';
