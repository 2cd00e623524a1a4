import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './bytes.ts';

/** What was observed, with the time at which it was recorded if that was late. */
export interface RecordedItem {
  readonly at: number;
  readonly recordedAt?: number;
}

/** Recorded within this time after its beginning, an observation counts from its beginning: most are, and take no space. */
const PROMPT_MS = 2_000;
/** The service accepts nothing so old (`acceptanceWindow`): it was imported. */
const IMPORTED_MS = 600_000;
const STEP_MS = 100;

/** Remembers when an item was recorded, to a tenth of a second, where that was late. */
export function withRecording<Item extends RecordedItem>(item: Item, flushedAt: number): Item {
  const lateMs = Math.floor((flushedAt - item.at) / STEP_MS) * STEP_MS;
  return lateMs > PROMPT_MS && lateMs < IMPORTED_MS ? { ...item, recordedAt: item.at + lateMs } : item;
}

export const isRecorded = ({ at, recordedAt = at }: RecordedItem, until: number): boolean => recordedAt <= until;

export const isLate = ({ recordedAt }: RecordedItem): boolean => recordedAt !== undefined;

/** The late items by their index. */
export function packRecordings(writer: ByteWriter, items: readonly RecordedItem[]): void {
  writer.unsigned(items.filter(isLate).length);
  let last = 0;
  items.forEach(({ at, recordedAt }, index) => {
    if (recordedAt === undefined) return;
    writer.unsigned(index - last);
    writer.unsigned(Math.round((recordedAt - at) / STEP_MS));
    last = index;
  });
}

/** How late the items were recorded, in milliseconds, by index. */
export function unpackRecordings(reader: ByteReader): ReadonlyMap<number, number> {
  const late = new Map<number, number>();
  let index = 0;
  for (let left = reader.unsigned(); left > 0; left--) {
    index += reader.unsigned();
    late.set(index, reader.unsigned() * STEP_MS);
  }
  return late;
}
