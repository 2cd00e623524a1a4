import { LogDamaged } from '../base/log-rows.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { Log } from '../log/log.ts';
import type { LedgerStore } from './store/ledger-store.ts';
import { parseCheckpoint } from './verify/checkpoint.ts';
import type { SignedCheckpoint } from './verify/checkpoint-trail.ts';
import { parseNote, type VerifierKey } from './verify/signed-note.ts';
import type { SealedLog } from './verify/verify-log.ts';

export interface WholeLogOptions {
  readonly store: LedgerStore;
  readonly log: Pick<Log, 'read'>;
  readonly keys: readonly VerifierKey[];
  /** Notes that somebody kept outside, such as the witness: what was signed again in here shows by them. */
  readonly kept?: readonly string[];
  readonly onProgress?: (events: number) => void;
}

const PAGE = 2000;

/** The running installation's log, for `verifyLog`. Sealing may go on meanwhile: what was signed by now is what is looked at. */
export async function wholeLog({ store, log, keys, kept = [], onProgress }: WholeLogOptions): Promise<SealedLog> {
  const latest = await store.latestCheckpoint();
  const state = await store.state();
  if (state === null) throw new Error('nothing was ever sealed here');
  return {
    origin: state.origin,
    size: state.size,
    events: (after) => pages(log, after),
    readTiles: store.readTiles,
    checkpoints: merged(store.checkpointsBySize(latest?.number ?? 0), kept),
    latest,
    keys,
    ...(onProgress && { onProgress }),
  };
}

async function* pages(log: Pick<Log, 'read'>, from: number): AsyncGenerator<readonly LogEvent[]> {
  for (let after = from; ;) {
    const page = await log.read({ after, limit: PAGE }).catch((error: unknown) => oneByOne(log, after, error));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.n;
  }
}

/** A row that is not JSON any more hides the whole page that it stands on. The verifier is shown an event without content in its place. */
async function oneByOne(log: Pick<Log, 'read'>, after: number, error: unknown): Promise<readonly LogEvent[]> {
  if (!(error instanceof LogDamaged)) throw error;
  const page: LogEvent[] = [];
  for (let n = after + 1; n <= after + PAGE; n++) {
    const events = await log.read({ after: n - 1, until: n, limit: 1 }).catch((cause: unknown) => {
      if (!(cause instanceof LogDamaged)) throw cause;
      return [damaged(n)];
    });
    page.push(...events);
  }
  return page;
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

/** A note that is none at all is shown to the verifier, too: somebody handed it over as evidence. */
async function* merged(stored: ReturnType<LedgerStore['checkpointsBySize']>, kept: readonly string[]): AsyncGenerator<SignedCheckpoint> {
  const notes = kept
    .map((note) => ({ note, size: parseCheckpoint(parseNote(note)?.text ?? '')?.size ?? 0 }))
    .sort((a, b) => a.size - b.size);
  for await (const { number, size, root, note } of stored) {
    while (notes[0] !== undefined && notes[0].size < size) yield notes.shift() ?? notes[0];
    yield { note, size, row: { number, root } };
  }
  yield* notes;
}
