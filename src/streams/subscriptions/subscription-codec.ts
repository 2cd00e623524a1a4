import type { OpenEvent, SubscriptionState } from './subscription-state.ts';

/** The values of all open events, or the one that all of them have. */
type Column = number | readonly number[];

/** Open events by columns: those of one read share their lease, and most have the same number of attempts. */
interface EncodedState {
  readonly searched: number;
  readonly lastToken: number;
  readonly texts: readonly string[];
  /** Differences to the event before. */
  readonly n: readonly number[];
  /** Indexes of texts; -1: none. */
  readonly partition: Column;
  readonly attempts: Column;
  readonly notBefore: Column;
  readonly replayed: Column;
  /** Indexes of leases; -1: none. */
  readonly lease: Column;
  /** Differences to the first token of the lease. */
  readonly token: Column;
  /** Index of the consumer, first token, until. */
  readonly leases: readonly (readonly [number, number, number])[];
  readonly consumers: readonly (readonly [string, number])[];
}

export function encodeSubscription({ searched, lastToken, open, consumers }: SubscriptionState): string {
  const texts = new Map<string, number>();
  const leases = new Map<string, readonly [number, number, number, number]>();
  const leaseOf = ({ lease }: OpenEvent): readonly [index: number, token: number] => {
    if (lease === null) return [-1, 0];
    const key = `${String(lease.until)} ${lease.consumer}`;
    const known = leases.get(key) ?? [indexIn(texts, lease.consumer), lease.token, lease.until, leases.size];
    leases.set(key, known);
    return [known[3], lease.token - known[1]];
  };
  const held = open.map(leaseOf);
  const state: EncodedState = {
    searched,
    lastToken,
    n: open.map(({ n }, index) => n - (open[index - 1]?.n ?? 0)),
    partition: column(open.map(({ partition }) => (partition === null ? -1 : indexIn(texts, partition)))),
    attempts: column(open.map(({ attempts }) => attempts)),
    notBefore: column(open.map(({ notBefore }) => notBefore)),
    replayed: column(open.map(({ isReplayed }) => (isReplayed ? 1 : 0))),
    lease: column(held.map(([index]) => index)),
    token: column(held.map(([, token]) => token)),
    leases: [...leases.values()].map(([consumer, token, until]) => [consumer, token, until]),
    texts: [...texts.keys()],
    consumers: [...consumers],
  };
  return JSON.stringify(state);
}

export function decodeSubscription(text: string): SubscriptionState {
  const state = JSON.parse(text) as EncodedState; // as `encodeSubscription` wrote it
  const { searched, lastToken, texts, leases, consumers } = state;
  let n = 0;
  const open = state.n.map((difference, row): OpenEvent => {
    n += difference;
    const [partition, lease] = [at(state.partition, row), leases[at(state.lease, row)]];
    return {
      n,
      partition: texts[partition] ?? null,
      attempts: at(state.attempts, row),
      notBefore: at(state.notBefore, row),
      isReplayed: at(state.replayed, row) === 1,
      lease: lease === undefined ? null : { token: lease[1] + at(state.token, row), consumer: texts[lease[0]] ?? '', until: lease[2] },
    };
  });
  return { searched, lastToken, open, consumers: new Map(consumers) };
}

function indexIn(texts: Map<string, number>, text: string): number {
  const index = texts.get(text) ?? texts.size;
  texts.set(text, index);
  return index;
}

function column(values: readonly number[]): Column {
  const [first = 0] = values;
  return values.every((value) => value === first) ? first : values;
}

const at = (values: Column, row: number): number => (typeof values === 'number' ? values : (values[row] ?? 0));
