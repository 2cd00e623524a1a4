import { openCheckpoint, type SealCheckpoint } from '../../../client/proofs/checkpoint.ts';
import { generationOf } from '../../../client/proofs/origin.ts';
import type { VerifierKey } from '../../../client/proofs/signed-note.ts';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** A checkpoint that this log signed, as it is known outside the database. */
export interface KnownCheckpoint extends SealCheckpoint {
  readonly note: string;
  /** Number of losses declared before it was signed, as its origin states. */
  readonly generation: number;
  /** The place it is known from, for messages. */
  readonly source: string;
  /** True when it is in `ledger_evidence`. */
  readonly isPassedOn?: true;
}

type Unopened = Omit<KnownCheckpoint, keyof SealCheckpoint | 'generation'>;

/** Null unless a key of this log signed it under an origin of this log: a file of another installation, or a witness that lies, proves nothing. */
export function openKnown(unopened: Unopened, first: string, keys: readonly VerifierKey[]): KnownCheckpoint | null {
  const opened = openCheckpoint(unopened.note, keys);
  const generation = opened.kind === 'open' ? generationOf(first, opened.checkpoint.origin) : null;
  return opened.kind === 'open' && generation !== null ? { ...opened.checkpoint, ...unopened, generation } : null;
}

export const isSameTree = (a: Pick<SealCheckpoint, 'size' | 'root'>, b: Pick<SealCheckpoint, 'size' | 'root'>): boolean =>
  a.size === b.size && a.root.equals(b.root);

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
