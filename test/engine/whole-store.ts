import { setTimeout as sleep } from 'node:timers/promises';
import { KurrentDbEventStore } from '../../src/platform/event-store/kurrentdb/kurrentdb-event-store.ts';
import type { FollowedEvent } from '../../src/platform/event-store/event-store.ts';

const TRIES = 20;

export type Place = Pick<FollowedEvent, 'position' | 'id' | 'stream' | 'revision'>;

/** All events of a server up to its head, in order, read through a separate client. */
export async function wholeStore(url: string): Promise<readonly Place[]> {
  const store = new KurrentDbEventStore(url);
  const over = new AbortController();
  const places: Place[] = [];
  try {
    const head = await readFileHead(store);
    if (head === null) return places;
    for await (const batch of store.follow(null, over.signal)) {
      places.push(...batch.map(({ position, id, stream, revision }) => ({ position, id, stream, revision })));
      if ((places.at(-1)?.position ?? '') >= head) break;
    }
    return places;
  } finally {
    over.abort();
    await store.close();
  }
}

/** A node that was the leader a moment ago does not answer; the client finds the new one. */
async function readFileHead(store: KurrentDbEventStore): Promise<string | null> {
  for (let tries = 1; ; tries++)
    try {
      return await store.headPosition();
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(1_000);
    }
}

/** Throws at the first place where two orders differ; one may be longer. */
export function sameAsFar(one: readonly Place[], other: readonly Place[], names: string): void {
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const [a, b] = [textOf(one[index]), textOf(other[index])];
    if (a !== b) throw new Error(`${names} differ at ${String(index)}: ${a} and ${b}`);
  }
}

const textOf = (place: Place | undefined): string =>
  place === undefined ? 'nothing' : `${place.position} ${place.id} ${place.stream} ${String(place.revision)}`;
