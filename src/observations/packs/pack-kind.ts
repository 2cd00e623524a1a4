import type { RecordedItem } from '../codec/recording.ts';

/** A kind of mass observation: its packed form and its order. */
export interface PackKind<Item extends RecordedItem> {
  /** Stored in the tables `<name>_flush` and `<name>_hour`. */
  readonly name: 'sample' | 'run';
  pack(items: readonly Item[]): Buffer;
  unpack(packed: Uint8Array): readonly Item[];
  inOrder(items: readonly Item[]): readonly Item[];
}

export const HOUR = 3_600_000;
export const hourOf = (at: number): number => Math.floor(at / HOUR);

export const ID_BYTES = 12;
/** Flushes are partitioned into slots by project, so that a reader scans only one of them. */
const SLOTS = 8;

export function idBytes(id: string): Buffer {
  const bytes = Buffer.from(id, 'hex');
  if (bytes.length !== ID_BYTES || id.length !== ID_BYTES * 2) throw new RangeError(`${id} is not a valid id: 24 hexadecimal digits`);
  return bytes;
}

export const idText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export const slotOf = (projectId: string): number => (idBytes(projectId)[ID_BYTES - 1] ?? 0) % SLOTS;

export const slots: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);
