import type pg from 'pg';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { copyOut } from '../../platform/postgres/copy.ts';
import type { BackupHead } from './backup-head.ts';
import { FrameWriter, keyIdOf, PIECE_BYTES } from './frames.ts';
import { type KeptTable, type Part, tablesOf } from './kept-tables.ts';
import { estimateRows, namesOf, readBackupHead, readDays, storedColumns, withSnapshot } from './snapshot.ts';

export interface BackupOrder {
  readonly url: string;
  /** The database of the observations, where they have one of their own. */
  readonly observationsUrl: string | undefined;
  readonly schemas?: ObservationSchemas;
  readonly master: Uint8Array;
  readonly engine: BackupHead['engine'];
  readonly program: string;
  /** When null, only the keys are backed up. */
  readonly file: string | null;
  readonly keysFile: string;
  readonly signal: AbortSignal;
  /** `total` is an estimate. */
  readonly progress: (done: number, total: number) => void;
}

export interface WrittenPart {
  readonly head: BackupHead;
  readonly bytes: number;
  readonly rows: Readonly<Record<string, number>>;
}

export interface BackupTaken {
  readonly data: WrittenPart | null;
  readonly keys: WrittenPart;
}

/**
 * Copies the data as of one snapshot (the log first and then the observations, where they have a database of their own), then the keys as of a later one: every key that the data need is included, and accounts erased in
 * between stay erased. Uses constant memory while the service keeps writing. The files get their names when both are complete.
 */
export async function takeBackup(order: BackupOrder): Promise<BackupTaken> {
  const drafts: FrameWriter[] = [];
  try {
    const data = order.file === null ? null : await takePart(order, 'data', order.file, drafts);
    const keys = await takePart(order, 'keys', order.keysFile, drafts);
    // The keys first: older data can be restored with newer keys, newer data cannot be restored with older keys.
    for (const draft of drafts.toReversed()) await draft.publish();
    return { data, keys };
  } catch (error) {
    for (const draft of drafts) await draft.discard();
    order.signal.throwIfAborted();
    throw error;
  }
}

/** One database and its tables, in one snapshot. */
interface Source {
  readonly client: pg.Client;
  readonly tables: readonly KeptTable[];
  readonly schemas: ObservationSchemas;
}

async function takePart(order: BackupOrder, part: Part, path: string, drafts: FrameWriter[]): Promise<WrittenPart> {
  const { master, url, observationsUrl, schemas = new ObservationSchemas(1), engine, program } = order;
  const writer = await FrameWriter.create(path, master);
  drafts.push(writer);
  const isSplit = observationsUrl !== undefined && part === 'data';
  return withSnapshot(url, tablesOf(part, isSplit ? 'log' : 'one database'), async (client, tables) => {
    const head = await readBackupHead(client, { part, program, engine, keyId: keyIdOf(master) });
    const log = { client, tables, schemas: new ObservationSchemas(1) };
    if (!isSplit) return writePart(order, writer, head, [log]);
    // A later snapshot: what the events of the log rest on is in it.
    return withSnapshot(
      observationsUrl,
      tablesOf(part, 'observations'),
      async (other, others) =>
        writePart(order, writer, { ...head, days: await readDays(other, schemas) }, [log, { client: other, tables: others, schemas }]),
      schemas,
    );
  });
}

async function writePart(order: BackupOrder, writer: FrameWriter, head: BackupHead, sources: readonly Source[]): Promise<WrittenPart> {
  await writer.json('H', head);
  const rows: Record<string, number> = {};
  const estimates = await Promise.all(sources.map(({ client, tables, schemas }) => estimateRows(client, namesOf(tables, schemas))));
  const total = Math.max(
    estimates.reduce((sum, one) => sum + one, 0),
    head.part === 'data' ? head.events : 0,
  );
  let before = 0;
  for (const source of sources)
    for (const table of source.tables) {
      const done = (count: number): void => {
        order.signal.throwIfAborted();
        order.progress(before + count, Math.max(total, before + count));
      };
      const count = await writeTable(source, writer, table, done);
      rows[table] = count;
      before += count;
    }
  return { head, rows, bytes: await writer.finish() };
}

/** The rows of all schemas: a backup does not depend on their number. */
async function writeTable(
  { client, schemas }: Source,
  writer: FrameWriter,
  table: KeptTable,
  done: (rows: number) => void,
): Promise<number> {
  const names = namesOf([table], schemas);
  const columns = await storedColumns(client, names[0] ?? table);
  await writer.json('T', { table, columns });
  let rows = 0;
  for (const name of names) {
    const before = rows;
    // As a query: COPY does not accept the name of a partitioned table.
    for await (const copied of copyOut(client, `SELECT ${columns.join(', ')} FROM ${name}`, PIECE_BYTES)) {
      rows = before + copied.rows;
      done(rows);
      await writer.rows(copied.piece);
    }
  }
  await writer.json('E', { rows });
  return rows;
}
