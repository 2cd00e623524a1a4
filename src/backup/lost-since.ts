import type pg from 'pg';
import { eventId, randomId } from '../kernel/ids.ts';
import { type SealCheckpoint, openCheckpoint } from '../ledger/verify/checkpoint.ts';
import { parseVerifierKey, type VerifierKey } from '../ledger/verify/signed-note.ts';
import { BackupRefused } from './backup-refused.ts';
import type { Loss, RestoreOrder } from './restore-order.ts';

const STREAM = 'system';

interface Signed extends SealCheckpoint {
  readonly note: string;
}

/**
 * Keeps the furthest checkpoint that covers more events than were restored, and appends `LogTruncated` for those that are lost. Otherwise one
 * origin would sign two histories, which a witness and every holder of an old checkpoint must report as forgery.
 */
export async function declareLost(client: pg.Client, { data, keys, checkpoint, lastCheckpoint }: RestoreOrder): Promise<Loss | null> {
  const trusted = await keysOf(client);
  const own = [keys.head.checkpoint, checkpoint].flatMap((note) => (note === null ? [] : [openOwn(note, data.head.origin, trusted)]));
  const notes = [...own, ...openFound(lastCheckpoint, data.head.origin, trusted)];
  const furthest = notes.toSorted((a, b) => b.size - a.size)[0];
  const { events: restored, takenAt } = data.head;
  if (furthest === undefined || furthest.size <= restored) return null;
  await storeCheckpoint(client, furthest);
  const loss = { from: furthest.size, to: restored };
  await appendLogTruncated(client, { ...loss, reason: `restored from a backup of ${takenAt}` });
  return loss;
}

async function keysOf(client: pg.Client): Promise<readonly VerifierKey[]> {
  const { rows } = await client.query<{ verifier_key: string }>('SELECT verifier_key FROM ledger_key');
  return rows.map(({ verifier_key }) => parseVerifierKey(verifier_key));
}

function openOwn(note: string, origin: string, keys: readonly VerifierKey[]): Signed {
  const opened = openCheckpoint(note, keys);
  if (opened.kind !== 'open' || opened.checkpoint.origin !== origin)
    throw new BackupRefused(`the checkpoint was not signed by ${origin} with a key of this backup`);
  return { ...opened.checkpoint, note };
}

function openFound(note: string | null, origin: string, keys: readonly VerifierKey[]): readonly Signed[] {
  const opened = note === null ? null : openCheckpoint(note, keys);
  return note !== null && opened?.kind === 'open' && opened.checkpoint.origin === origin ? [{ ...opened.checkpoint, note }] : [];
}

/** The same state as after an operator declared a loss: a new generation of the tree starts, apart from what was signed before. */
async function storeCheckpoint(client: pg.Client, { size, root, note }: Signed): Promise<void> {
  await client.query(
    `INSERT INTO ledger_checkpoint (number, generation, size, root, note)
     SELECT coalesce((SELECT max(number) FROM ledger_checkpoint), 0) + 1, generation, $1, $2, $3 FROM ledger_state`,
    [size, root, note],
  );
  await client.query('UPDATE ledger_state SET generation = generation + 1');
}

/** In the transaction of the restore, so that the loss is declared as soon as the restored log is visible. */
async function appendLogTruncated(client: pg.Client, lost: Loss & { readonly reason: string }): Promise<void> {
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
