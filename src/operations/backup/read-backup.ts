import { BackupRefused, inflate, readFrames, type BackupFrame, keyIdOf } from './frames.ts';
import { type BackupHead, readHead, readRowCount, readTableHead, type TableHead } from './backup-head.ts';
import { isKept, type KeptTable, keptTables, type Part } from './kept-tables.ts';

export interface BackupTable extends TableHead {
  readonly table: KeptTable;
  /** Must be consumed before the next table. */
  readonly pieces: AsyncIterable<Buffer>;
  /** The row count that the file states; known after the last piece. */
  readonly rows: () => number;
}

/** Reads the header alone, and checks that the file was written with this master key. */
export async function readFileHead(path: string, master: Uint8Array): Promise<BackupHead> {
  for await (const { kind, payload } of readFrames(path, master)) {
    if (kind !== 'H') break;
    const head = readHead(payload, path);
    if (head.keyId !== keyIdOf(master))
      throw new BackupRefused(
        `${path} was made with another master key: put back the one of that installation (MASTER_KEY, or master.key)`,
      );
    return head;
  }
  throw new BackupRefused(`${path} is damaged: it has no header`);
}

/** Reads the whole file and changes nothing; throws `BackupRefused` unless it is complete and unchanged. Answers row counts by table. */
export async function checkBackup(path: string, master: Uint8Array, progress: (bytes: number) => void): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const { table, pieces, rows } of readTables(path, master, progress)) {
    let bytes = 0;
    for await (const piece of pieces) bytes += piece.length;
    if (bytes === 0 && rows() > 0) throw new BackupRefused(`${path} is damaged: ${table} has no rows`);
    found[table] = rows();
  }
  return found;
}

/** The tables of a backup; each belongs to this part and occurs once. */
export async function* readTables(path: string, master: Uint8Array, progress: (bytes: number) => void): AsyncGenerator<BackupTable> {
  const frames = readFrames(path, master);
  try {
    const first = await frames.next();
    if (first.done === true || first.value.kind !== 'H') throw new BackupRefused(`${path} is damaged: it has no header`);
    yield* tablesIn(frames, readHead(first.value.payload, path).part, path, progress);
  } finally {
    await frames.return(undefined);
  }
}

async function* tablesIn(
  frames: AsyncGenerator<BackupFrame>,
  part: Part,
  path: string,
  progress: (bytes: number) => void,
): AsyncGenerator<BackupTable> {
  const seen = new Set<string>();
  let bytes = 0;
  const count = ({ payload }: BackupFrame): void => {
    bytes += payload.length;
    progress(bytes);
  };
  for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
    if (next.value.kind !== 'T') throw new BackupRefused(`${path} is damaged: its frames are out of order`);
    const head = readTableHead(next.value.payload, path);
    const { table } = head;
    if (!isKept(table) || keptTables[table] !== part || seen.has(table))
      throw new BackupRefused(`${path} holds a table that does not belong there: ${JSON.stringify(table).slice(0, 80)}`);
    seen.add(table);
    const body = bodyOf(frames, path, count);
    yield { ...head, table, pieces: body.pieces, rows: () => body.rows };
    if (!body.ended) throw new Error(`${table} was not read to its end`);
  }
}

interface Body {
  readonly pieces: AsyncIterable<Buffer>;
  rows: number;
  ended: boolean;
}

function bodyOf(frames: AsyncGenerator<BackupFrame>, path: string, count: (frame: BackupFrame) => void): Body {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = await frames.next();
      if (next.done === true) throw new BackupRefused(`${path} is damaged: a table has no end`);
      count(next.value);
      const { kind, payload } = next.value;
      if (kind === 'E') {
        [body.rows, body.ended] = [readRowCount(payload, path), true];
        return;
      }
      if (kind !== 'D') throw new BackupRefused(`${path} is damaged: its frames are out of order`);
      yield await inflate(payload, path);
    }
  }
  const body: Body = { pieces: pieces(), rows: 0, ended: false };
  return body;
}
