import { describe, expect, it } from '@jest/globals';
import type { LogEvent } from '../../kernel/event.ts';
import { decodeSubscription, encodeSubscription } from './subscription-codec.ts';
import * as states from './subscription-state.ts';

const NOW = 1_700_000_000_000;
const LEASE = 30_000;

const event = (n: number, scope: string): LogEvent => ({
  ...{ n, id: String(n), stream: `${scope}-stream`, revision: 0, type: 'ProjectRenamed', version: 1, scope, data: {}, recordedAt: '' },
  meta: { actor: { kind: 'user', id: '1' }, correlationId: '', causationId: null, commandId: '', occurredAt: '' },
});

/** The state after events of these scopes were found, from position 0. */
const found = (...scopes: string[]): states.SubscriptionState => {
  const events = scopes.map((scope, n) => event(n, scope));
  return states.withFound(states.stateFrom(-1), events, scopes.length - 1, 'project');
};

/** Delivers what can be, and answers the positions. */
function read(state: states.SubscriptionState, { now = NOW, limit = 100, consumer = 'a', maxInFlight = 100 } = {}) {
  const chosen = states.deliverable(state, { maxInFlight }, { now, limit }).map(({ n }) => n);
  const delivered = states.leaseTo(state, new Set(chosen), { consumer, now, until: now + LEASE });
  return { ...delivered, chosen, tokens: delivered.deliveries.map(({ token }) => token) };
}

describe('the state of a subscription', () => {
  it('delivers one event of each partition at a time, in order', () => {
    const first = read(found('a', 'a', 'b', 'a'));
    expect(first.chosen).toEqual([0, 2]);
    const [token = 0] = first.tokens;
    expect(read(first.state).chosen).toEqual([]);
    const acked = states.take(first.state, [token]);
    expect(read(acked.state).chosen).toEqual([1]);
  });

  it('delivers everything at once without partitions', () => {
    const state = states.withFound(states.stateFrom(-1), [event(0, 'a'), event(1, 'a')], 1, 'none');
    expect(read(state).chosen).toEqual([0, 1]);
  });

  it('never has more in flight than allowed', () => {
    const first = read(found('a', 'b', 'c'), { maxInFlight: 2 });
    expect(first.chosen).toEqual([0, 1]);
    expect(read(first.state, { maxInFlight: 2 }).chosen).toEqual([]);
    expect(states.inFlightOf(first.state, NOW)).toBe(2);
  });

  it('delivers again, with a higher token, what a silent consumer left, and refuses its late acknowledgement only then', () => {
    const first = read(found('a'));
    const later = NOW + LEASE;
    expect(states.take(first.state, first.tokens).taken).toHaveLength(1);
    const second = read(first.state, { now: later, consumer: 'b' });
    expect(second.deliveries).toMatchObject([{ n: 0, attempt: 2 }]);
    expect(second.tokens[0]).toBeGreaterThan(first.tokens[0] ?? Infinity);
    expect(states.take(second.state, first.tokens)).toMatchObject({ taken: [], stale: first.tokens });
    expect(states.take(second.state, second.tokens).taken).toHaveLength(1);
  });

  it('answers a second acknowledgement, and that of an unknown token, as stale', () => {
    const { state, tokens } = read(found('a', 'b'));
    const [one = 0, two = 0] = tokens;
    const { state: acked } = states.take(state, [one]);
    expect(states.take(acked, [one, two, 5])).toMatchObject({ taken: [{ n: 1 }], stale: [one, 5] });
  });

  it('has the position before the first event that is not done', () => {
    const { state, tokens } = read(found('a', 'b', 'c'));
    const [one = 0, two = 0, three = 0] = tokens;
    const later = states.take(state, [two, three]).state;
    expect(states.positionOfState(later)).toBe(-1);
    expect(states.positionOfState(states.take(later, [one]).state)).toBe(2);
  });

  it('gives an event back after a pause that doubles up to the lease, and holds its partition meanwhile', () => {
    let state = found('a', 'a');
    for (const [now, pause] of [
      [NOW, 1_000],
      [NOW + 1_000, 2_000],
    ] as const) {
      const { state: delivered, tokens, chosen } = read(state, { now });
      expect(chosen).toEqual([0]);
      const { state: left, taken } = states.take(delivered, tokens);
      state = states.giveBack(left, taken, { now, mostMs: LEASE });
      expect(read(state, { now: now + pause - 1 }).chosen).toEqual([]);
      expect(states.nextDueAt(state, now)).toBe(now + pause);
    }
  });

  it('delivers a replayed event when its partition is free, and leaves the position where it is', () => {
    const { state, tokens } = read(found('a', 'b', 'a'));
    const parked = states.take(state, tokens.slice(0, 1)).state;
    const busy = read(parked);
    expect(busy.chosen).toEqual([2]);
    const replayed = states.withReplayed(busy.state, [event(0, 'a')], 'project');
    expect(states.positionOfState(replayed)).toBe(0);
    expect(read(replayed).chosen).toEqual([]);
    expect(read(states.take(replayed, busy.tokens).state).chosen).toEqual([0]);
  });

  it('continues at another position, with replayed events that no search finds again', () => {
    const replayed = states.withReplayed(found('a', 'b', 'c'), [event(0, 'a')], 'project');
    const { state, tokens } = read(states.without(replayed, new Set([0])));
    const moved = states.movedTo(state, 1, [event(0, 'a')], 'stream');
    expect(moved).toMatchObject({ searched: 1, open: [{ n: 0, partition: 'a-stream', lease: null, isReplayed: true }] });
    expect(states.take(moved, tokens).taken).toEqual([]);
    const again = states.withFound(states.movedTo(moved, -1, [event(0, 'a')], 'none'), [event(0, 'a'), event(1, 'b')], 1, 'none');
    expect(again.open.map(({ n }) => n)).toEqual([0, 1]);
  });

  it('hands out tokens that grow also where the state began anew', () => {
    const first = read(found('a'));
    const anew = read(found('a'), { now: NOW + 1 });
    expect(anew.tokens[0]).toBeGreaterThan(first.tokens[0] ?? Infinity);
  });

  it('survives being stored', () => {
    const { state } = read(found('a', 'b', 'a'));
    const stored = states.seen(states.withReplayed(state, [event(9, 'z')], 'none'), 'a', NOW);
    expect(decodeSubscription(encodeSubscription(stored))).toEqual(stored);
  });

  it('forgets consumers without events in flight after ten minutes', () => {
    const busy = states.seen(read(found('a')).state, 'a', NOW);
    const both = states.seen(states.seen(busy, 'idle', NOW), 'b', NOW + 700_000);
    expect([...both.consumers.keys()].toSorted()).toEqual(['a', 'b']);
  });
});

describe('a random history', () => {
  it('delivers each event until it is acknowledged, and never two of a partition at a time', () => {
    for (let seed = 1; seed <= 30; seed++) {
      let random = seed;
      const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
      const scopes = Array.from({ length: 60 }, () => `p${String(next(6))}`);
      let state = found(...scopes);
      const held = new Map<number, number>();
      const done: number[] = [];
      for (let now = NOW, steps = 0; done.length < scopes.length; now += 500) {
        if (++steps > 5_000) throw new Error(`seed ${String(seed)} does not end`);
        const page = read(state, { now, limit: 1 + next(5), maxInFlight: 8 });
        ({ state } = page);
        for (const { n, token } of page.deliveries) held.set(token, n);
        const inFlight = state.open.filter((one) => states.isInFlight(one, now)).map(({ partition }) => partition);
        expect(new Set(inFlight).size).toBe(inFlight.length);
        expect(inFlight.length).toBeLessThanOrEqual(8);
        const tokens = [...held.keys()].filter(() => next(3) === 0);
        for (const token of tokens) held.delete(token);
        const { state: left, taken } = states.take(state, tokens);
        const isBack = next(4) === 0;
        state = isBack ? states.giveBack(left, taken, { now, mostMs: LEASE }) : left;
        if (!isBack) done.push(...taken.map(({ n }) => n));
        state = decodeSubscription(encodeSubscription(state));
      }
      expect(done.toSorted((left, right) => left - right)).toEqual(scopes.map((_, n) => n));
      for (const scope of new Set(scopes)) {
        const ofScope = done.filter((n) => scopes[n] === scope);
        expect(ofScope).toEqual(ofScope.toSorted((left, right) => left - right));
      }
    }
  });
});
