import { constants } from 'node:zlib';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter, deflatePack, inflatePack } from '../codec/bytes.ts';
import { ID_BYTES, idBytes, idText, type PackKind, slotOf } from './pack-kind.ts';

export interface ObservedItem<Item> {
  readonly projectId: string;
  readonly item: Item;
}

export interface FlushRow {
  readonly slot: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The ids of the projects, in the order of their packs: the directory of the row. */
  readonly ids: Buffer;
  readonly packed: Buffer;
}

/** Projects per row: a reader of one of them inflates no more than this many. */
const MAX_PROJECTS = 64;
/** Below this size zlib costs more than the bytes: a flush is read by each screen until it is compacted, minutes later. */
const MIN_DEFLATE_BYTES = 256;

/** Rows of one slot each, with one pack per project, in the order of their ids. */
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
  return [...slots].flatMap(([slot, projects]) => {
    const inOrder = [...projects].sort(([one], [other]) => (one < other ? -1 : 1));
    const rows: FlushRow[] = [];
    for (let from = 0; from < inOrder.length; from += MAX_PROJECTS)
      rows.push(flushRow(kind, slot, inOrder.slice(from, from + MAX_PROJECTS)));
    return rows;
  });
}

function flushRow<Item extends { readonly at: number }>(
  kind: Pick<PackKind<Item>, 'pack'>,
  slot: number,
  projects: readonly (readonly [projectId: string, items: readonly Item[]])[],
): FlushRow {
  const writer = new ByteWriter();
  const ids = Buffer.concat(projects.map(([projectId]) => idBytes(projectId)));
  let [firstAt, lastAt] = [Infinity, -Infinity];
  for (const [, items] of projects) {
    writer.bytes(kind.pack(items));
    for (const { at } of items) {
      firstAt = Math.min(firstAt, at);
      lastAt = Math.max(lastAt, at);
    }
  }
  return { slot, firstAt, lastAt, ids, packed: deflatePack(writer.done(), constants.Z_BEST_SPEED, MIN_DEFLATE_BYTES) };
}

/** The packs of a flush by project. */
export function* packsOf({
  ids,
  packed,
}: Pick<FlushRow, 'ids' | 'packed'>): Iterable<{ readonly projectId: string; readonly pack: Uint8Array }> {
  const reader = new ByteReader(inflatePack(packed));
  for (let at = 0; at < ids.length; at += ID_BYTES) yield { projectId: idText(ids.subarray(at, at + ID_BYTES)), pack: reader.bytes() };
}

/** Which of the packs is that of a project; null if none is. */
export function indexIn(ids: Buffer, projectId: Buffer): number | null {
  let at = ids.indexOf(projectId);
  // Twelve bytes of two ids may equal a third id.
  while (at >= 0 && at % ID_BYTES !== 0) at = ids.indexOf(projectId, at + 1);
  return at < 0 ? null : at / ID_BYTES;
}

export function packAt(packed: Buffer, index: number): Uint8Array {
  const reader = new ByteReader(inflatePack(packed));
  for (let before = index; before > 0; before--) reader.bytes();
  return reader.bytes();
}
