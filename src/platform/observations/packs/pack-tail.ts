import { inflatePack } from '../codec/bytes.ts';
import type { RecordedItem } from '../codec/recording.ts';
import { packsOf } from './flush.codec.ts';
import { idText, type PackKind } from './pack-kind.ts';
import { HOUR_MS } from '../../../kernel/time.ts';

/** What was observed of many projects since an instant, as it was when it was read. */
export interface Tail<Item> {
  /** The items of a project from `from` up to but excluding `to`, in order. */
  between(projectId: string, from: number, to: number): readonly Item[];
  /** Frees the memory of a project that is not asked for again. */
  forget(projectId: string): void;
}

export interface TailHour {
  readonly project_id: Buffer;
  readonly hour: number;
  readonly packed: Buffer;
}

export interface TailFlush {
  readonly ids: Buffer;
  readonly packed: Buffer;
  readonly first_at: number;
  readonly last_at: number;
}

interface Pack {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly bytes: () => Uint8Array;
}

/** Keeps the packs as they are stored: a project is unpacked when it is asked for. */
export class PackTail<Item extends RecordedItem> implements Tail<Item> {
  private readonly packs = new Map<string, Pack[]>();

  /** Hours first, flushes in the order of their ids. */
  constructor(
    private readonly kind: Pick<PackKind<Item>, 'unpack' | 'inOrder'>,
    projectIds: readonly string[],
    hours: readonly TailHour[],
    flushes: readonly TailFlush[],
  ) {
    for (const projectId of projectIds) this.packs.set(projectId, []);
    for (const { project_id, hour, packed } of hours)
      this.packs
        .get(idText(project_id))
        ?.push({ firstAt: hour * HOUR_MS, lastAt: (hour + 1) * HOUR_MS - 1, bytes: () => inflatePack(packed) });
    for (const flush of flushes)
      for (const { projectId, pack } of packsOf(flush))
        this.packs.get(projectId)?.push({ firstAt: flush.first_at, lastAt: flush.last_at, bytes: () => pack });
  }

  between(projectId: string, from: number, to: number): readonly Item[] {
    const items: Item[] = [];
    for (const { firstAt, lastAt, bytes } of this.packs.get(projectId) ?? [])
      if (lastAt >= from && firstAt < to)
        for (const item of this.kind.unpack(bytes())) if (item.at >= from && item.at < to) items.push(item);
    return this.kind.inOrder(items);
  }

  forget(projectId: string): void {
    this.packs.delete(projectId);
  }
}
