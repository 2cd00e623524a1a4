import type { Fence } from '../fence.ts';
import type { FencedBatch } from '../packs/pack-writer.ts';
import { inOrder, type Sample } from '../samples/sample.ts';
import type { SampleStore } from '../samples/sample-store.ts';

/** For simulations on virtual time. `held` answers what the lease table would. */
export class MemorySamples implements SampleStore {
  private readonly samples = new Map<string, Sample[]>();

  constructor(private readonly held: (fence: Fence) => boolean) {}

  async accept(batches: readonly FencedBatch<Sample>[]): Promise<ReadonlySet<string>> {
    await Promise.resolve();
    const taken = batches.filter(({ fence, observed }) => observed.length > 0 && this.held(fence));
    for (const { projectId, item } of taken.flatMap(({ observed }) => observed))
      this.samples.set(projectId, [...(this.samples.get(projectId) ?? []), item]);
    return new Set(taken.map(({ fence }) => fence.name));
  }

  async between(projectId: string, from: number, to: number): Promise<readonly Sample[]> {
    await Promise.resolve();
    return inOrder((this.samples.get(projectId) ?? []).filter(({ at }) => at >= from && at < to));
  }

  outcomes(projectId: string, from: number, to: number): Promise<readonly Sample[]> {
    return this.between(projectId, from, to);
  }

  async last(projectId: string, until: number): Promise<Sample | null> {
    return (await this.between(projectId, -Infinity, until + 1)).at(-1) ?? null;
  }
}
