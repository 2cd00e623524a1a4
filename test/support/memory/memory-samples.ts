import type { FencingToken } from '../../../src/platform/observations/fences.ts';
import type { FencedBatch } from '../../../src/platform/observations/packs/pack-writer.ts';
import type { Tail } from '../../../src/platform/observations/packs/pack-tail.ts';
import { isRecorded } from '../../../src/platform/observations/codec/recording.ts';
import { inTimeOrder, type Sample } from '../../../src/platform/observations/samples/sample.ts';
import { memoryTail } from './memory-tail.ts';
import type { SampleStore } from '../../../src/platform/observations/samples/sample-store.ts';

/** For simulations on virtual time; `isHeld` replaces the lease table. */
export class MemorySamples implements SampleStore {
  private readonly samples = new Map<string, Sample[]>();

  constructor(private readonly isHeld: (fence: FencingToken) => boolean) {}

  async accept(batches: readonly FencedBatch<Sample>[]): Promise<ReadonlySet<string>> {
    await Promise.resolve();
    const accepted = batches.filter(({ fence, observed }) => observed.length > 0 && this.isHeld(fence));
    for (const { projectId, item } of accepted.flatMap(({ observed }) => observed))
      this.samples.set(projectId, [...(this.samples.get(projectId) ?? []), item]);
    return new Set(accepted.map(({ fence }) => fence.name));
  }

  async between(projectId: string, from: number, to: number, recordedUntil = Infinity): Promise<readonly Sample[]> {
    await Promise.resolve();
    return inTimeOrder(
      (this.samples.get(projectId) ?? []).filter((sample) => sample.at >= from && sample.at < to && isRecorded(sample, recordedUntil)),
    );
  }

  outcomes(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly Sample[]> {
    return this.between(projectId, from, to, recordedUntil);
  }

  async tail(projectIds: readonly string[], from: number): Promise<Tail<Sample>> {
    const read = await Promise.all(projectIds.map(async (id) => [id, await this.between(id, from, Infinity)] as const));
    return memoryTail(new Map(read));
  }

  async last(projectId: string, until: number): Promise<Sample | null> {
    return (await this.between(projectId, -Infinity, until + 1)).at(-1) ?? null;
  }
}
