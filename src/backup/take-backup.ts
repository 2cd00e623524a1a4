import type pg from 'pg';
import { copyOut } from '../persistence/copy.ts';
import type { BackupHead } from './backup-head.ts';
import { FrameWriter } from './frame-writer.ts';
import { keyIdOf, PIECE_BYTES } from './frames.ts';
import type { KeptTable, Part } from './kept-tables.ts';
import { columnsOf, describe, estimateRows, type Told, withSnapshot } from './snapshot.ts';

export interface BackupOrder {
  readonly url: string;
  readonly master: Uint8Array;
  readonly engine: BackupHead['engine'];
  readonly program: string;
  /** Null: the keys alone. */
  readonly file: string | null;
  readonly keysFile: string;
  readonly signal: AbortSignal;
  /** Rows done, of about so many. */
  readonly progress: (done: number, total: number) => void;
}

export interface Taken {
  readonly head: BackupHead;
  readonly bytes: number;
  readonly rows: Readonly<Record<string, number>>;
}

export interface BackupTaken {
  readonly data: Taken | null;
  readonly keys: Taken;
}

/**
 * The data as of one instant, then the keys as of a later one: every key that the data need is there, and who was erased meanwhile is
 * erased. Constant memory, beside a service that goes on writing. The files appear under their names when both are whole.
 */
export async function takeBackup(order: BackupOrder): Promise<BackupTaken> {
  const drafts: FrameWriter[] = [];
  try {
    const data = order.file === null ? null : await takePart(order, 'data', order.file, drafts);
    const keys = await takePart(order, 'keys', order.keysFile, drafts);
    // The keys first: older data with newer keys can be restored, the other way round they cannot.
    for (const draft of drafts.toReversed()) await draft.publish();
    return { data, keys };
  } catch (error) {
    for (const draft of drafts) await draft.discard();
    order.signal.throwIfAborted();
    throw error;
  }
}

async function takePart(order: BackupOrder, part: Part, path: string, drafts: FrameWriter[]): Promise<Taken> {
  const { master, url, engine, program } = order;
  const writer = await FrameWriter.create(path, master);
  drafts.push(writer);
  return withSnapshot(url, part, async (client, tables) => {
    const told: Told = { part, program, engine, keyId: keyIdOf(master) };
    const head = await describe(client, told);
    await writer.json('H', head);
    const rows: Record<string, number> = {};
    const total = Math.max(await estimateRows(client, tables), part === 'data' ? head.events : 0);
    let before = 0;
    for (const table of tables) {
      const done = (count: number): void => {
        order.signal.throwIfAborted();
        order.progress(before + count, Math.max(total, before + count));
      };
      const count = await writeTable(client, writer, table, done);
      rows[table] = count;
      before += count;
    }
    return { head, rows, bytes: await writer.finish() };
  });
}

async function writeTable(client: pg.Client, writer: FrameWriter, table: KeptTable, done: (rows: number) => void): Promise<number> {
  const columns = await columnsOf(client, table);
  await writer.json('T', { table, columns });
  let rows = 0;
  // As a query: a partitioned table cannot be copied by its name.
  for await (const copied of copyOut(client, `SELECT ${columns.join(', ')} FROM ${table}`, PIECE_BYTES)) {
    rows = copied.rows;
    done(rows);
    await writer.rows(copied.piece);
  }
  await writer.json('E', { rows });
  return rows;
}
