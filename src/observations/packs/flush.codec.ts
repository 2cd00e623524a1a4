import { constants } from 'node:zlib';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
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
    let [firstAt, lastAt] = [Infinity, -Infinity];
    for (const [projectId, items] of projects) {
      writer.raw(idBytes(projectId));
      writer.bytes(kind.pack(items));
      for (const { at } of items) {
        firstAt = Math.min(firstAt, at);
        lastAt = Math.max(lastAt, at);
      }
    }
    return { slot, firstAt, lastAt, packed: deflatePack(writer.done(), constants.Z_BEST_SPEED) };
  });
}

/** The packs of a flush by project, not yet unpacked, so that a reader skips other projects cheaply. */
export function* packsOf(packed: Uint8Array): Iterable<{ readonly projectId: string; readonly pack: Uint8Array }> {
  const reader = new ByteReader(inflatePack(packed));
  while (!reader.ended) yield { projectId: idText(reader.raw(ID_BYTES)), pack: reader.bytes() };
}
