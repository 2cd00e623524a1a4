import type { KurrentDbEventStore } from './kurrentdb/kurrentdb-event-store.ts';

/** The adapter of KurrentDB without the mirror into the log; its client is loaded only where an installation uses it. */
export async function openKurrentDb(...given: ConstructorParameters<typeof KurrentDbEventStore>): Promise<KurrentDbEventStore> {
  const { KurrentDbEventStore: Store } = await import('./kurrentdb/kurrentdb-event-store.ts');
  return new Store(...given);
}
