import type { Inspection } from '../../src/platform/observations/inspections/inspection-store.ts';
import type { FencedBatch } from '../../src/platform/observations/packs/pack-writer.ts';
import type { Tail } from '../../src/platform/observations/packs/pack-tail.ts';
import type { Run } from '../../src/platform/observations/runs/run.ts';
import type { CheckOfRun, MadeRun, RunStore, WholeRun } from '../../src/platform/observations/runs/run-store.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import type { SampleReader, SampleStore } from '../../src/platform/observations/samples/sample-store.ts';
import { memoryTail } from '../support/memory/memory-tail.ts';

/** Runs by check, in order, so that recent ones are found quickly. */
export class SimRuns implements Pick<RunStore, 'between' | 'tail' | 'latest' | 'ofJob'> {
  private readonly byJob = new Map<string, Map<string, MadeRun>>();
  private readonly byCheck = new Map<string, MadeRun[]>();
  private readonly checksOf = new Map<string, Set<string>>();

  put({ projectId, item }: FencedBatch<MadeRun>['observed'][number]): void {
    const runs = this.byCheck.get(item.checkId) ?? [];
    runs.push(item);
    this.byCheck.set(item.checkId, runs);
    if (item.jobId !== null) this.byJob.set(item.jobId, (this.byJob.get(item.jobId) ?? new Map()).set(item.checkId, item));
    this.checksOf.set(projectId, (this.checksOf.get(projectId) ?? new Set()).add(item.checkId));
  }

  async between(projectId: string, from: number, to: number, checkId?: string): Promise<readonly Run[]> {
    await Promise.resolve();
    const found: Run[] = [];
    for (const id of checkId === undefined ? (this.checksOf.get(projectId) ?? []) : [checkId]) {
      const runs = this.byCheck.get(id) ?? [];
      // A wrong clock may have stored a later instant before: a few more runs are examined.
      for (let at = runs.length - 1, beyond = 0; at >= 0 && beyond < 20; at--) {
        const run = runs[at];
        if (run === undefined || run.at < from) beyond++;
        else if (run.at < to) found.push(run);
      }
    }
    return found.sort((one, other) => one.at - other.at);
  }

  async tail(projectIds: readonly string[], from: number): Promise<Tail<Run>> {
    const read = await Promise.all(projectIds.map(async (id) => [id, await this.between(id, from, Infinity)] as const));
    return memoryTail(new Map(read));
  }

  async latest(checks: readonly CheckOfRun[]): Promise<ReadonlyMap<string, WholeRun>> {
    await Promise.resolve();
    return new Map(
      checks.flatMap(({ checkId: id }) => {
        const newest = (this.byCheck.get(id) ?? [])
          .slice(-20)
          .reduce<MadeRun | null>((last, run) => (last === null || run.at >= last.at ? run : last), null);
        return newest === null ? [] : [[id, wholeOf(newest)] as const];
      }),
    );
  }

  async ofJob(_projectId: string, jobId: string): Promise<readonly WholeRun[]> {
    await Promise.resolve();
    return [...(this.byJob.get(jobId)?.values() ?? [])].map(wholeOf);
  }
}

const wholeOf = ({ checkId, at, whole }: MadeRun): WholeRun => ({ checkId, at, whole });

const HOUR_MS = 3_600_000;

/** Samples by project, in the order in which they came. */
export class SimSamples implements SampleReader, Pick<SampleStore, 'tail'> {
  private readonly byProject = new Map<string, Sample[]>();

  put(projectId: string, sample: Sample): void {
    const samples = this.byProject.get(projectId);
    if (samples === undefined) this.byProject.set(projectId, [sample]);
    else samples.push(sample);
  }

  get projects(): readonly string[] {
    return [...this.byProject.keys()];
  }

  /** All of them, as they came. */
  of(projectId: string): readonly Sample[] {
    return this.byProject.get(projectId) ?? [];
  }

  async between(projectId: string, from: number, to: number): Promise<readonly Sample[]> {
    await Promise.resolve();
    const samples = this.of(projectId);
    const found = new Map<number, Sample>();
    // Clocks are wrong by minutes only: samples of an hour are near their place.
    for (let place = this.placeOf(samples, to + HOUR_MS); place >= 0; place--) {
      const sample = samples[place];
      if (sample === undefined || sample.at < from - HOUR_MS) break;
      if (sample.at >= from && sample.at < to && !found.has(sample.at)) found.set(sample.at, sample);
    }
    return [...found.values()].sort((one, other) => one.at - other.at);
  }

  outcomes(projectId: string, from: number, to: number): Promise<readonly Sample[]> {
    return this.between(projectId, from, to);
  }

  async tail(projectIds: readonly string[], from: number): Promise<Tail<Sample>> {
    const read = await Promise.all(projectIds.map(async (id) => [id, await this.between(id, from, Infinity)] as const));
    return memoryTail(new Map(read));
  }

  /** About where the samples of an instant end. */
  private placeOf(samples: readonly Sample[], instant: number): number {
    let [low, high] = [0, samples.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((samples[middle]?.at ?? Infinity) > instant) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }
}

/** The latest result of each watch of a project. */
export class SimLooks {
  private readonly last = new Map<string, Inspection>();

  put(look: Inspection): void {
    const key = `${look.kind} ${look.projectId}`;
    if (look.at >= (this.last.get(key)?.at ?? -Infinity)) this.last.set(key, look);
  }

  of(kind: Inspection['kind'], projectIds: readonly string[]): ReadonlyMap<string, Inspection> {
    const found = projectIds.map((projectId) => this.last.get(`${kind} ${projectId}`)).filter((look) => look !== undefined);
    return new Map(found.map((look) => [look.projectId, look]));
  }
}
