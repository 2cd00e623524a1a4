import type pg from 'pg';
import { readRowsOneByOne } from '../../platform/event-store/log-rows.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { LedgerStore } from './store/ledger-store.ts';
import { parseCheckpoint } from '../../client/proofs/checkpoint.ts';
import type { SignedCheckpoint } from '../../client/proofs/checkpoint-trail.ts';
import { parseNote, type VerifierKey } from '../../client/proofs/signed-note.ts';
import type { SealedLog } from '../../client/proofs/verify-log.ts';

/** A checkpoint kept outside, for example by the witness: it exposes a history that was rewritten and signed again. */
export interface KeptNote {
  readonly name: string;
  readonly note: string;
}

export interface WholeLogOptions {
  readonly pool: pg.Pool;
  readonly store: LedgerStore;
  readonly keys: readonly VerifierKey[];
  readonly kept?: readonly KeptNote[];
  readonly onProgress?: (events: number) => void;
}

const PAGE = 2000;

/** The installation's log as input of `verifyLog`, up to the latest checkpoint; sealing may continue during the verification. */
export async function wholeLog({ pool, store, keys, kept = [], onProgress }: WholeLogOptions): Promise<SealedLog> {
  const [newest, latest] = [await store.latestCheckpoint(), await store.currentCheckpoint()];
  const state = await store.state();
  if (state === null) throw new Error('this installation has sealed nothing yet');
  return {
    origin: state.origin,
    size: state.size,
    events: (after) => pages(pool, after),
    readTiles: store.readTiles,
    checkpoints: merged(store.checkpointsBySize(newest?.number ?? 0), kept),
    latest,
    keys,
    ...(onProgress && { onProgress }),
  };
}

/** Passes a damaged row to the verifier as an event without content. */
async function* pages(pool: pg.Pool, from: number): AsyncGenerator<readonly LogEvent[]> {
  for (let after = from; ;) {
    const rows = await readRowsOneByOne(pool, after, PAGE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ n, event }) => event ?? damaged(n));
    after = last.n;
  }
}

const damaged = (n: number): LogEvent => ({
  n,
  id: 'unreadable',
  stream: '',
  revision: 0,
  type: '',
  version: 0,
  scope: '',
  recordedAt: '',
  data: {},
  meta: { actor: { kind: 'cli', id: '' }, correlationId: '', causationId: null, commandId: '', occurredAt: '' },
});

/** Merges by size. A malformed note goes to the verifier too, because it was submitted as evidence. */
async function* merged(stored: ReturnType<LedgerStore['checkpointsBySize']>, kept: readonly KeptNote[]): AsyncGenerator<SignedCheckpoint> {
  const notes = kept
    .map(({ name, note }) => ({ note, keptAs: name, size: parseCheckpoint(parseNote(note)?.text ?? '')?.size ?? 0 }))
    .sort((a, b) => a.size - b.size);
  for await (const { number, size, root, note } of stored) {
    while (notes[0] !== undefined && notes[0].size < size) yield notes.shift() ?? notes[0];
    yield { note, size, row: { number, root } };
  }
  yield* notes;
}
