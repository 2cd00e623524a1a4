import type { OpenEvent, SubscriptionState } from './subscription-state.ts';

/** An open event: `n`, index of the partition or -1, attempts, not before, replayed, and of a lease token, index of the consumer, until. */
type EncodedEvent = readonly [number, number, number, number, 0 | 1, ...([] | readonly [number, number, number])];

interface EncodedState {
  readonly searched: number;
  readonly lastToken: number;
  readonly texts: readonly string[];
  readonly open: readonly EncodedEvent[];
  readonly consumers: readonly (readonly [string, number])[];
}

/** As stored: thousands of open events name few partitions and consumers, which stand there once. */
export function encodeSubscription({ searched, lastToken, open, consumers }: SubscriptionState): string {
  const indexes = new Map<string, number>();
  const indexOf = (text: string): number => {
    const known = indexes.get(text);
    if (known !== undefined) return known;
    indexes.set(text, indexes.size);
    return indexes.size - 1;
  };
  const encoded = open.map(({ n, partition, attempts, lease, notBefore, isReplayed }): EncodedEvent => {
    const event = [n, partition === null ? -1 : indexOf(partition), attempts, notBefore, isReplayed ? 1 : 0] as const;
    return lease === null ? event : [...event, lease.token, indexOf(lease.consumer), lease.until];
  });
  const state: EncodedState = { searched, lastToken, texts: [...indexes.keys()], open: encoded, consumers: [...consumers] };
  return JSON.stringify(state);
}

export function decodeSubscription(text: string): SubscriptionState {
  const { searched, lastToken, texts, open, consumers } = JSON.parse(text) as EncodedState; // as `encodeSubscription` wrote it
  const textAt = (index: number): string => texts[index] ?? '';
  return {
    ...{ searched, lastToken, consumers: new Map(consumers) },
    open: open.map(([n, partition, attempts, notBefore, replayed, token, consumer, until]): OpenEvent => {
      const lease = token === undefined ? null : { token, consumer: textAt(consumer ?? -1), until: until ?? 0 };
      return { n, partition: partition === -1 ? null : textAt(partition), attempts, notBefore, isReplayed: replayed === 1, lease };
    }),
  };
}
