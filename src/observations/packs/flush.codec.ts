import { constants } from 'node:zlib';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { ID_BYTES, idBytes, idText, type PackKind, slotOf } from './pack-kind.ts';

export interface ObservedItem<Item> {
  readonly projectId: string;
  readonly item: Item;
}

export interface FlushRow {
  readonly slot: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of the projects, in the order of their packs: the directory of the row. */
  readonly ids: Buffer;
  readonly packed: Buffer;
}

/** One row per slot, with one pack per project. */
export function flushRows<Item extends { readonly at: number }>(
  kind: Pick<PackKind<Item>, 'pack'>,
  observed: readonly ObservedItem<Item>[],
): readonly FlushRow[] {
  const slots = new Map<number, Map<string, Item[]>>();
  for (const { projectId, item } of observed) {
    const slot = slotOf(projectId);
    const projects = slots.get(slot) ?? new Map<string, Item[]>();
    slots.set(slot, projects);
    const items = projects.get(projectId);
    if (items === undefined) projects.set(projectId, [item]);
    else items.push(item);
  }
  return [...slots].map(([slot, projects]) => {
    const writer = new ByteWriter();
    const ids = Buffer.concat([...projects.keys()].map(idBytes));
    let [firstAt, lastAt] = [Infinity, -Infinity];
    for (const items of projects.values()) {
      writer.bytes(kind.pack(items));
      for (const { at } of items) {
        firstAt = Math.min(firstAt, at);
        lastAt = Math.max(lastAt, at);
      }
    }
    return { slot, firstAt, lastAt, ids, packed: deflatePack(writer.done(), constants.Z_BEST_SPEED) };
  });
}

/** The packs of a flush by project. */
export function* packsOf({
  ids,
  packed,
}: Pick<FlushRow, 'ids' | 'packed'>): Iterable<{ readonly projectId: string; readonly pack: Uint8Array }> {
  const reader = new ByteReader(inflatePack(packed));
  for (let at = 0; at < ids.length; at += ID_BYTES) yield { projectId: idText(ids.subarray(at, at + ID_BYTES)), pack: reader.bytes() };
}

/** The pack of one project; a row without it is not inflated. */
export function packOf({ ids, packed }: Pick<FlushRow, 'ids' | 'packed'>, projectId: Buffer): Uint8Array | null {
  let at = ids.indexOf(projectId);
  // Twelve bytes of two ids may look like a third.
  while (at >= 0 && at % ID_BYTES !== 0) at = ids.indexOf(projectId, at + 1);
  if (at < 0) return null;
  const reader = new ByteReader(inflatePack(packed));
  for (let before = at / ID_BYTES; before > 0; before--) reader.bytes();
  return reader.bytes();
}
