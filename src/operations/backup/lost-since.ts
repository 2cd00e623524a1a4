import type pg from 'pg';
import { eventId, randomId } from '../../kernel/ids.ts';
import { type SealCheckpoint, openCheckpoint } from '../../client/proofs/checkpoint.ts';
import { generationOf, originAt } from '../../client/proofs/origin.ts';
import { parseVerifierKey, type VerifierKey } from '../../client/proofs/signed-note.ts';
import type { Truncation } from '../../client/proofs/truncation.ts';
import { BackupRefused } from './frames.ts';
import type { Loss, RestoreOrder } from './restore-order.ts';

const STREAM = 'system';

interface Signed extends SealCheckpoint {
  readonly note: string;
  /** Number of losses declared before it was signed. */
  readonly generation: number;
}

/**
 * Keeps the furthest checkpoint that the restored log does not lead to, and appends `LogTruncated` for the events that are lost: the log continues under another
 * origin. Otherwise one origin would sign two histories, which a witness and every holder of an old checkpoint must report as forgery.
 */
export async function declareLost(client: pg.Client, { data, keys, checkpoint, lastCheckpoint }: RestoreOrder): Promise<Loss | null> {
  const trusted = await keysOf(client);
  const own = [keys.head.checkpoint, checkpoint].flatMap((note) => (note === null ? [] : [openOwn(note, data.head.origin, trusted)]));
  const notes = [...own, ...openFound(lastCheckpoint, data.head.origin, trusted)];
  const { events: restored, takenAt, origin: first } = data.head;
  const { rows } = await client.query<{ generation: number }>('SELECT generation FROM ledger_state');
  const generation = rows[0]?.generation ?? 0;
  const isLater = (one: Signed): boolean => one.generation > generation;
  const lost = notes.filter((one) => isLater(one) || (one.generation === generation && one.size > restored));
  const [furthest] = lost.toSorted((one, other) => other.generation - one.generation || other.size - one.size);
  if (furthest === undefined) return null;
  await storeCheckpoint(client, furthest);
  // A checkpoint of a later origin does not say which of the restored events it covers.
  const loss = { from: Math.max(...lost.map(({ size }) => size)), to: lost.some(isLater) ? 0 : restored };
  const origin = originAt(first, furthest.generation + 1);
  await appendLogTruncated(client, { ...loss, reason: `restored from a backup of ${takenAt}`, origin, lastCheckpoint: furthest.note });
  return loss;
}

async function keysOf(client: pg.Client): Promise<readonly VerifierKey[]> {
  const { rows } = await client.query<{ verifier_key: string }>('SELECT verifier_key FROM ledger_key');
  return rows.map(({ verifier_key }) => parseVerifierKey(verifier_key));
}

function openOwn(note: string, first: string, keys: readonly VerifierKey[]): Signed {
  const [signed] = openFound(note, first, keys);
  if (signed === undefined) throw new BackupRefused(`the checkpoint was not signed by ${first} with a key of this backup`);
  return signed;
}

function openFound(note: string | null, first: string, keys: readonly VerifierKey[]): readonly Signed[] {
  const opened = note === null ? null : openCheckpoint(note, keys);
  const generation = opened?.kind === 'open' ? generationOf(first, opened.checkpoint.origin) : null;
  return note !== null && opened?.kind === 'open' && generation !== null ? [{ ...opened.checkpoint, note, generation }] : [];
}

/** The same state as after an operator declared a loss: another origin begins, apart from what was signed before. */
async function storeCheckpoint(client: pg.Client, { size, root, note, generation }: Signed): Promise<void> {
  await client.query(
    `INSERT INTO ledger_checkpoint (number, generation, size, root, note)
     SELECT coalesce((SELECT max(number) FROM ledger_checkpoint), 0) + 1, $1, $2, $3, $4`,
    [generation, size, root, note],
  );
  await client.query('UPDATE ledger_state SET generation = $1', [generation + 1]);
}

/** In the transaction of the restore, so that the loss is declared as soon as the restored log is visible. */
async function appendLogTruncated(client: pg.Client, lost: Truncation & { readonly reason: string }): Promise<void> {
  const { rows } = await client.query<{ revision: string }>('SELECT coalesce(max(revision), -1) AS revision FROM log WHERE stream = $1', [
    STREAM,
  ]);
  const revision = Number(rows[0]?.revision);
  const commandId = randomId();
  const id = eventId(commandId, STREAM, revision + 1);
  const actor = { kind: 'cli', id: 'restore' };
  const meta = { actor, correlationId: id, causationId: null, commandId, occurredAt: new Date().toISOString() };
  const event = { type: 'LogTruncated', data: lost };
  const values = [STREAM, revision, id, event.type, JSON.stringify(event.data), JSON.stringify(meta)];
  await client.query('SELECT append_one($1, $2, $3, $4, 1::smallint, $1, $5, $6)', values);
}
