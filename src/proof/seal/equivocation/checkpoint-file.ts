import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'last-checkpoint.json';

/** The checkpoint signed last, in `DATA_DIR`: a failover or a restore of the database does not take it back. */
export class CheckpointFile {
  readonly path: string;

  constructor(private readonly folder: string) {
    this.path = join(folder, FILE);
  }

  /** Null when there is none, or when it is damaged: then the database and the witness remain. */
  async read(): Promise<string | null> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && 'note' in value && typeof value.note === 'string' ? value.note : null;
    } catch {
      return null;
    }
  }

  /** Atomic and flushed: after a crash the file holds the old or the new checkpoint. */
  async write(note: string): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const draft = `${this.path}.draft`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ note })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.path);
    await syncFolder(this.folder);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
