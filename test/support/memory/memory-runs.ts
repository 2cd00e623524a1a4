import type { FencingToken } from '../../../src/platform/observations/fences.ts';
import type { FencedBatch } from '../../../src/platform/observations/packs/pack-writer.ts';
import type { Tail } from '../../../src/platform/observations/packs/pack-tail.ts';
import { memoryTail } from './memory-tail.ts';
import { type Run, runsInOrder } from '../../../src/platform/observations/runs/run.ts';
import type { CheckOfRun, MadeRun, RunStore, WholeRun } from '../../../src/platform/observations/runs/run-store.ts';

/** For simulations on virtual time; `isHeld` replaces the lease table. */
export class MemoryRuns implements RunStore {
  private readonly runs = new Map<string, MadeRun[]>();

  constructor(private readonly isHeld: (fence: FencingToken) => boolean) {}

  async accept(batches: readonly FencedBatch<MadeRun>[]): Promise<ReadonlySet<string>> {
    await Promise.resolve();
    const accepted = batches.filter(({ fence, observed }) => observed.length > 0 && this.isHeld(fence));
    for (const { projectId, item } of accepted.flatMap(({ observed }) => observed))
      this.runs.set(projectId, [...(this.runs.get(projectId) ?? []), item]);
    return new Set(accepted.map(({ fence }) => fence.name));
  }

  async between(projectId: string, from: number, to: number, checkId?: string): Promise<readonly Run[]> {
    await Promise.resolve();
    const runs = (this.runs.get(projectId) ?? []).filter(({ at }) => at >= from && at < to).map(bare);
    return runsInOrder(runs).filter((run) => checkId === undefined || run.checkId === checkId);
  }

  async tail(projectIds: readonly string[], from: number): Promise<Tail<Run>> {
    const read = await Promise.all(projectIds.map(async (id) => [id, await this.between(id, from, Infinity)] as const));
    return memoryTail(new Map(read));
  }

  async lastOf(projectId: string, checkIds: readonly string[], until: number): Promise<ReadonlyMap<string, Run>> {
    const runs = await this.between(projectId, -Infinity, until + 1);
    return new Map(runs.filter(({ checkId }) => checkIds.includes(checkId)).map((run) => [run.checkId, run]));
  }

  async lastBefore(projectId: string, instants: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Run>> {
    const runs = await this.between(projectId, -Infinity, Infinity);
    return new Map(runs.filter(({ checkId, at }) => at < (instants.get(checkId) ?? -Infinity)).map((run) => [run.checkId, run]));
  }

  async latest(checks: readonly CheckOfRun[]): Promise<ReadonlyMap<string, WholeRun>> {
    await Promise.resolve();
    const runs = [...this.runs.values()].flat().filter((run) => run.latest && checks.some(({ checkId }) => checkId === run.checkId));
    return new Map(runs.sort((one, other) => one.at - other.at).map((run) => [run.checkId, whole(run)]));
  }

  async latestOf(projectId: string, limit: number): Promise<readonly Pick<WholeRun, 'checkId' | 'at'>[]> {
    const ids = new Set((this.runs.get(projectId) ?? []).map(({ checkId }) => checkId));
    const runs = [...(await this.latest([...ids].map((checkId) => ({ projectId, checkId })))).values()];
    return runs.sort((one, other) => other.at - one.at).slice(0, limit);
  }

  async haveEnded(projectId: string, requested: string, checkId: string | null): Promise<boolean> {
    await Promise.resolve();
    const byCheck = new Map<string, { readonly requested: string; readonly ends: boolean | null }>();
    for (const run of this.runs.get(projectId) ?? []) {
      const before = byCheck.get(run.checkId);
      const ends = before?.requested !== run.requested ? run.ends : run.ends === null ? before.ends : run.ends && before.ends !== false;
      if (run.latest) byCheck.set(run.checkId, { requested: run.requested, ends });
    }
    return [...byCheck].some(([id, known]) => (checkId ?? id) === id && known.requested === requested && known.ends === true);
  }

  async ofJob(projectId: string, jobId: string): Promise<readonly WholeRun[]> {
    await Promise.resolve();
    const runs = (this.runs.get(projectId) ?? []).filter((run) => run.jobId === jobId).sort((one, other) => one.at - other.at);
    return [...new Map(runs.map((run) => [run.checkId, whole(run)])).values()];
  }

  async inJobs({ projectId, checkId }: CheckOfRun, jobIds: readonly string[]): Promise<readonly WholeRun[]> {
    const found = await Promise.all(jobIds.map((jobId) => this.ofJob(projectId, jobId)));
    return found.flat().filter((run) => run.checkId === checkId);
  }
}

const bare = ({ whole: _whole, latest: _latest, requested: _requested, ends: _ends, ...run }: MadeRun): Run => run;
const whole = ({ checkId, at, whole: kept }: MadeRun): WholeRun => ({ checkId, at, whole: kept });
