import type { RecordedItem } from '../codec/recording.ts';
import { shardNumberOf } from '../shards.ts';
import { HOUR_MS } from '../../../kernel/time.ts';

/** A kind of mass observation: its packed form and its order. */
export interface PackKind<Item extends RecordedItem> {
  /** Stored in the tables `<name>_flush` and `<name>_hour`. */
  readonly name: 'sample' | 'run';
  pack(items: readonly Item[]): Buffer;
  unpack(packed: Uint8Array): readonly Item[];
  inOrder(items: readonly Item[]): readonly Item[];
  /** What is stored beside the packed items of an hour. */
  summarize?(hour: number, items: readonly Item[], packed: Buffer): Buffer;
}

export const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

export const ID_BYTES = 12;
/** Slots of a version before the shards, whose checkers and compaction may still run during a rolling upgrade. */
const FORMER_SLOTS = 8;
/** Above every former slot. */
export const FIRST_SLOT = 64;

export function idBytes(id: string): Buffer {
  const bytes = Buffer.from(id, 'hex');
  if (bytes.length !== ID_BYTES || id.length !== ID_BYTES * 2) throw new RangeError(`${id} is not a valid id: 24 hexadecimal digits`);
  return bytes;
}

export const idText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Flushes are partitioned into slots by shard, so that a reader scans one of them, and the owner of a shard compacts it alone. */
export const slotOfShard = (shard: number): number => FIRST_SLOT + shard;

export const shardOfSlot = (slot: number): number => slot - FIRST_SLOT;

export const slotOf = (projectId: string): number => slotOfShard(shardNumberOf(projectId));

export const formerSlotOf = (projectId: string): number => (idBytes(projectId)[ID_BYTES - 1] ?? 0) % FORMER_SLOTS;

export const formerSlots: readonly number[] = Array.from({ length: FORMER_SLOTS }, (_, slot) => slot);
