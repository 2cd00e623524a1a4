import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ORIGIN, sampleEvents, sealed, signer, verifierKey, verifierKeys } from '../../../test/support/sealed-log.ts';
import { thorough } from '../../../test/support/thorough.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { createSigner, signCheckpoint, type Signer } from '../../proof/seal/signer.ts';
import type { SignedCheckpoint } from './checkpoint-trail.ts';
import type { Finding } from './finding.ts';
import { originAt } from './origin.ts';
import { parseVerifierKey } from './signed-note.ts';
import { tileKey } from './tile.ts';
import { verifyLog, type LogVerdict, type SealedLog } from './verify-log.ts';

const COUNT = 2000;
const EVENTS = sampleEvents(COUNT + 40);
const SIZES = [1, 200, 256, 700, 1500, COUNT];
const WHOLE = sealed(EVENTS.slice(0, COUNT));

const checkpointOf = (events: readonly LogEvent[], number?: number, generation = 0): SignedCheckpoint => {
  const { note, size, root } = sealed(events, generation).checkpoint;
  return { note, size, ...(number === undefined ? {} : { row: { number, root } }) };
};
const CHECKPOINTS = SIZES.map((size, at) => checkpointOf(EVENTS.slice(0, size), at + 1));

interface State {
  readonly events: readonly LogEvent[];
  readonly tiles: ReadonlyMap<string, Buffer>;
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly size: number;
}
const STATE: State = { events: EVENTS, tiles: WHOLE.tiles, checkpoints: CHECKPOINTS, size: COUNT };

async function* batches<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield await Promise.resolve(items.slice(at, at + size));
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

const verify = (changes: Partial<State> = {}, options: Partial<SealedLog> = {}): Promise<LogVerdict> => {
  const { events, tiles, checkpoints, size } = { ...STATE, ...changes };
  const last = checkpoints.at(-1);
  return verifyLog({
    origin: ORIGIN,
    size,
    events: (after) =>
      batches(
        events.filter(({ n }) => n > after),
        300,
      ),
    readTiles: (ids) => Promise.resolve(ids.map((id) => tiles.get(tileKey(id)) ?? Buffer.alloc(0))),
    checkpoints: each(checkpoints),
    latest: last?.row ? { size: last.size, root: last.row.root } : null,
    keys: verifierKeys,
    ...options,
  });
};

const findingIn = async (changes: Partial<State>): Promise<Finding | null> => {
  const verdict = await verify(changes);
  return verdict.kind === 'tampered' ? verdict.finding : null;
};

const place = fc.integer({ min: 0, max: COUNT - 1 });
const eventAt = (n: number): LogEvent => {
  const event = EVENTS[n];
  if (event === undefined) throw new RangeError(String(n));
  return event;
};
/** Renumbers the events as a forger would: positions without gaps. */
const renumbered = (events: readonly LogEvent[]): LogEvent[] => events.map((event, n) => ({ ...event, n }));

describe('a log', () => {
  it('is intact as sealed, with unsealed events behind it', async () => {
    const counts = { events: COUNT + 40, sealed: COUNT, signed: COUNT, checkpoints: SIZES.length, givenUp: 0 };
    expect(await verify()).toEqual({ kind: 'intact', ...counts });
    // Without the newest checkpoint the events behind the previous one are sealed but not signed.
    expect(await verify({ checkpoints: CHECKPOINTS.slice(0, -1) })).toEqual({ kind: 'intact', ...counts, signed: 1500, checkpoints: 5 });
  });

  it('is intact when empty', async () => {
    expect(await verify({ events: [], tiles: new Map(), checkpoints: [], size: 0 })).toMatchObject({ kind: 'intact', events: 0 });
  });
});

describe('tampering with the log', () => {
  it('names a changed event for a change of any field', async () => {
    const member = fc.constantFrom('id', 'stream', 'revision', 'type', 'version', 'scope', 'recordedAt', 'data', 'meta');
    await fc.assert(
      fc.asyncProperty(place, member, async (n, name) => {
        const original: Readonly<Record<string, unknown>> = { ...eventAt(n) };
        const value = original[name];
        const changed = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}0` : { ...Object(value), x: 1 };
        const events = EVENTS.with(n, { ...eventAt(n), [name]: changed });
        expect(await findingIn({ events })).toMatchObject({ kind: 'changed', index: n, event: events[n]?.id });
      }),
      { numRuns: thorough(12, 3) },
    );
  });

  it('names a removed event, with and without the gap', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (n) => {
        const events = EVENTS.toSpliced(n, 1);
        expect(await findingIn({ events })).toMatchObject({ kind: 'removed', index: n });
        // Behind the last sealed event a removal cannot be distinguished from a change.
        const kind = n === COUNT - 1 ? 'changed' : 'removed';
        expect(await findingIn({ events: renumbered(events) })).toMatchObject({ kind, index: n });
      }),
      { numRuns: thorough(8, 2), examples: [[COUNT - 1]] },
    );
  });

  it('names an inserted event', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (n) => {
        const forged = { ...eventAt(n), id: 'forged', data: { failures: [] } };
        expect(await findingIn({ events: renumbered(EVENTS.toSpliced(n, 0, forged)) })).toMatchObject({
          kind: 'inserted',
          index: n,
          event: 'forged',
        });
      }),
      { numRuns: thorough(8, 2) },
    );
  });

  it('names an event inserted before the first', async () => {
    const forged = { ...eventAt(3), n: -5, id: 'forged' };
    expect(await findingIn({ events: [forged, ...EVENTS] })).toMatchObject({ kind: 'inserted', index: -5, event: 'forged' });
  });

  it('names the first of two swapped events', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        fc.pre(a !== b);
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const events = renumbered(EVENTS.with(first, eventAt(second)).with(second, eventAt(first)));
        expect(await findingIn({ events })).toMatchObject({ kind: 'moved', index: first, event: eventAt(first).id });
      }),
      { numRuns: thorough(8, 2) },
    );
  });

  it('detects a truncated log', async () => {
    expect(await findingIn({ events: EVENTS.slice(0, 1234) })).toMatchObject({ kind: 'removed', index: 1234 });
    expect(await findingIn({ events: [] })).toMatchObject({ kind: 'removed', index: 0 });
  });

  it('detects a log truncated together with its tiles', async () => {
    const cut = EVENTS.slice(0, 1234);
    expect(await findingIn({ events: cut, tiles: sealed(cut).tiles, size: 1234 })).toMatchObject({ kind: 'checkpoint', index: 700 });
  });

  it('names a changed tile, not the event under it', async () => {
    for (const [key, bytes] of WHOLE.tiles) {
      for (const at of thorough([0, bytes.length - 1], [bytes.length - 1])) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const finding = await findingIn({ tiles: new Map(WHOLE.tiles).set(key, changed) });
        expect(finding).toMatchObject({ kind: 'tile' });
        expect(finding?.message).toContain(`tile ${key} `);
      }
      expect(await findingIn({ tiles: new Map([...WHOLE.tiles].filter(([other]) => other !== key)) })).toMatchObject({ kind: 'tile' });
    }
  });

  it('detects a history rewritten with its tiles, and the earliest position of the change', async () => {
    const events = EVENTS.with(800, { ...eventAt(800), data: { failures: [] } });
    const { tiles } = sealed(events.slice(0, COUNT));
    expect(await findingIn({ events, tiles })).toMatchObject({ kind: 'checkpoint', index: 700 });
  });
});

describe('tampering with checkpoints', () => {
  const forked = EVENTS.with(800, { ...eventAt(800), data: { failures: [] } });

  it('detects a fork signed again with the genuine key by any checkpoint kept elsewhere', async () => {
    const { tiles } = sealed(forked.slice(0, COUNT));
    const resigned = SIZES.map((size, at) => checkpointOf(forked.slice(0, size), at + 1));
    expect(await verify({ events: forked, tiles, checkpoints: resigned })).toMatchObject({ kind: 'intact' });
    const witnessed = { ...checkpointOf(EVENTS.slice(0, 1000)), keptAs: 'march.txt' };
    const withWitness = [...resigned, witnessed].sort((a, b) => a.size - b.size);
    const finding = await findingIn({ events: forked, tiles, checkpoints: withWitness });
    expect(finding).toMatchObject({ kind: 'checkpoint', index: 700, message: expect.stringContaining('kept as march.txt') });
  });

  it('detects an old checkpoint of a forked log among genuine ones', async () => {
    expect(await findingIn({ checkpoints: CHECKPOINTS.with(4, checkpointOf(forked.slice(0, 1500), 5)) })).toMatchObject({
      kind: 'checkpoint',
    });
  });

  it('detects another key, another log, a forged row and a removed checkpoint', async () => {
    const { size, root } = WHOLE.checkpoint;
    const row = { number: SIZES.length, root };
    const stranger = createSigner(ORIGIN, Buffer.alloc(32, 7));
    for (const forged of [
      { size, row, note: signCheckpoint({ origin: ORIGIN, size, root }, [stranger]) },
      {
        size,
        row,
        note: signCheckpoint({ origin: 'other.test/ledger', size, root }, [createSigner('other.test/ledger', Buffer.alloc(32, 42))]),
      },
      { size, row: { ...row, root: Buffer.alloc(32) }, note: WHOLE.checkpoint.note },
      { size: size - 1, row, note: WHOLE.checkpoint.note },
    ]) {
      expect(await findingIn({ checkpoints: [...CHECKPOINTS.slice(0, -1), forged] })).toMatchObject({ kind: 'checkpoint' });
    }
    expect(await findingIn({ checkpoints: CHECKPOINTS.toSpliced(2, 1) })).toMatchObject({ kind: 'checkpoint' });
  });
});

describe('a declared loss', () => {
  const declared = (from: number, to: number, origin = originAt(ORIGIN, 1)): LogEvent[] =>
    renumbered([
      ...EVENTS.slice(0, 900),
      { ...eventAt(0), id: 'declared', type: 'LogTruncated', data: { from, to, origin } },
      ...EVENTS.slice(1500),
    ]);
  const stateOf = (events: readonly LogEvent[]): Partial<State> => {
    const { tiles, checkpoint } = sealed(events);
    const after = checkpointOf(events, CHECKPOINTS.length + 1, 1);
    return { events, tiles, size: checkpoint.size, checkpoints: [...CHECKPOINTS, after].sort((a, b) => a.size - b.size) };
  };

  it('excuses the checkpoints over the lost events', async () => {
    expect(await verify(stateOf(declared(COUNT, 900)))).toMatchObject({ kind: 'intact', givenUp: 2 });
  });

  it('does not excuse checkpoints signed after it', async () => {
    const events = declared(COUNT, 900);
    const state = stateOf(events);
    const later = checkpointOf(events.with(950, { ...eventAt(950), n: 950, data: {} }).slice(0, 1100), 8, 1);
    const checkpoints = [...(state.checkpoints ?? []), later].sort((a, b) => a.size - b.size);
    expect(await findingIn({ ...state, checkpoints })).toMatchObject({ kind: 'checkpoint', index: 700 });
  });

  it('names the key of either origin that is not trusted', async () => {
    for (const keys of [verifierKeys.slice(0, 1), verifierKeys.slice(1)])
      expect(await verify(stateOf(declared(COUNT, 900)), { keys })).toMatchObject({
        kind: 'tampered',
        finding: { kind: 'checkpoint', message: expect.stringContaining('was not signed by a key of this log') },
      });
  });

  it('excuses checkpoints of the origin before it alone', async () => {
    // The first origin ended before; what the second signed over the same sizes stays due.
    const events = declared(COUNT, 900);
    const forked = checkpointOf(EVENTS.slice(0, 1500), CHECKPOINTS.length + 2, 1);
    const state = stateOf(events);
    const checkpoints = [...(state.checkpoints ?? []), forked].sort((a, b) => a.size - b.size);
    expect(await findingIn({ ...state, checkpoints })).toMatchObject({ kind: 'checkpoint' });
    const twice = stateOf(declared(COUNT, 900, originAt(ORIGIN, 2)));
    expect(await verify({ ...twice, checkpoints: [...(twice.checkpoints ?? []), forked].sort((a, b) => a.size - b.size) })).toMatchObject({
      kind: 'intact',
      givenUp: 3,
    });
  });

  it('excuses nothing else', async () => {
    expect(await findingIn(stateOf(declared(1999, 900)))).toMatchObject({ kind: 'checkpoint' });
    expect(await findingIn(stateOf(declared(COUNT, 1500)))).toMatchObject({ kind: 'checkpoint' });
    expect(signer.name).toBe(ORIGIN);
  });
});

describe('a key that was disowned', () => {
  const young = createSigner(ORIGIN, Buffer.alloc(32, 7));
  const keys = [parseVerifierKey(young.verifierKey), verifierKey];
  const AFTER = 1500;
  const data = { key: signer.verifierKey, after: AFTER, reason: 'leaked' };
  const events = EVENTS.with(1600, { ...eventAt(1600), stream: 'system', scope: 'system', type: 'SealKeyDisowned', data });
  const { tiles, checkpoint } = sealed(events.slice(0, COUNT));
  const lastBy = (...signers: readonly Signer[]): SignedCheckpoint => ({
    note: signCheckpoint({ origin: ORIGIN, size: COUNT, root: checkpoint.root }, signers),
    size: COUNT,
    row: { number: SIZES.length, root: checkpoint.root },
  });
  const verifyWith = (last: SignedCheckpoint, ...kept: readonly SignedCheckpoint[]) =>
    verify({ events, tiles, checkpoints: [...CHECKPOINTS.slice(0, -1), ...kept, last] }, { keys });

  it('counts for checkpoints up to the one that another key signed, too', async () => {
    expect(await verifyWith(lastBy(young))).toMatchObject({ kind: 'intact', checkpoints: SIZES.length });
    expect(await verifyWith(lastBy(signer, young))).toMatchObject({ kind: 'intact' });
  });

  it('counts for none after it, listed or kept elsewhere', async () => {
    const refusal = { kind: 'tampered', finding: { kind: 'checkpoint', message: expect.stringContaining('disowned') } };
    expect(await verifyWith(lastBy(signer))).toMatchObject(refusal);
    expect(await verifyWith(lastBy(young), { ...sealed(events.slice(0, 1800)).checkpoint, keptAs: 'kept.txt' })).toMatchObject(refusal);
  });

  it('stays disowned when a later event says otherwise', async () => {
    const later = events.with(1700, { ...eventAt(1700), type: 'SealKeyDisowned', data: { ...data, after: COUNT + 1 } });
    const { tiles: changed, checkpoint: signed } = sealed(later.slice(0, COUNT));
    const last = { note: signed.note, size: COUNT, row: { number: SIZES.length, root: signed.root } };
    const verdict = await verify({ events: later, tiles: changed, checkpoints: [...CHECKPOINTS.slice(0, -1), last] }, { keys });
    expect(verdict).toMatchObject({ kind: 'tampered', finding: { kind: 'checkpoint' } });
  });
});
