import type { LogEvent } from '../../src/kernel/event.ts';
import type { FencedBatch } from '../../src/observations/packs/pack-writer.ts';
import type { Run } from '../../src/observations/runs/run.ts';
import type { MadeRun, RunStore, WholeRun } from '../../src/observations/runs/run-store.ts';
import { asToday, type Columns, type View } from '../../src/projections/kit/define-view.ts';
import { listRows } from '../../src/projections/kit/list-rows.ts';
import type { Sample } from '../../src/observations/samples/sample.ts';
import type { SampleStore } from '../../src/observations/samples/sample-store.ts';
import type { Item, ListQuery, RowsOf, Views, ViewsAt } from '../../src/projections/kit/views.ts';

/** Runs by check, so that a month of them is looked through from its end. */
export class SimRuns implements Pick<RunStore, 'between' | 'latest' | 'ofJob'> {
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
      // A clock that was ahead may have put a later instant before: a few more are looked at.
      for (let at = runs.length - 1, beyond = 0; at >= 0 && beyond < 20; at--) {
        const run = runs[at];
        if (run === undefined || run.at < from) beyond++;
        else if (run.at < to) found.push(run);
      }
    }
    return found.sort((one, other) => one.at - other.at);
  }

  async latest(checkIds: readonly string[]): Promise<ReadonlyMap<string, WholeRun>> {
    await Promise.resolve();
    return new Map(
      checkIds.flatMap((id) => {
        const newest = (this.byCheck.get(id) ?? [])
          .slice(-20)
          .reduce<MadeRun | null>((last, run) => (last === null || run.at >= last.at ? run : last), null);
        return newest === null ? [] : [[id, wholeOf(newest)] as const];
      }),
    );
  }

  async ofJob(jobId: string): Promise<readonly WholeRun[]> {
    await Promise.resolve();
    return [...(this.byJob.get(jobId)?.values() ?? [])].map(wholeOf);
  }
}

const wholeOf = ({ checkId, at, whole }: MadeRun): WholeRun => ({ checkId, at, whole });

/** Samples by project, in the order in which they came. */
export class SimSamples implements Pick<SampleStore, 'outcomes'> {
  private readonly byProject = new Map<string, Sample[]>();

  put(projectId: string, sample: Sample): void {
    const samples = this.byProject.get(projectId) ?? [];
    samples.push(sample);
    this.byProject.set(projectId, samples);
  }

  async outcomes(projectId: string, from: number, to: number): Promise<readonly Sample[]> {
    await Promise.resolve();
    const samples = this.byProject.get(projectId) ?? [];
    const found = new Map<number, Sample>();
    for (let index = samples.length - 1, beyond = 0; index >= 0 && beyond < 100; index--) {
      const sample = samples[index];
      if (sample === undefined || sample.at < from) beyond++;
      else if (sample.at < to && !found.has(sample.at)) found.set(sample.at, sample);
    }
    return [...found.values()].sort((one, other) => one.at - other.at);
  }
}

/** Views that are folded further at each look instead of anew. */
export class SimViews implements Views, ViewsAt {
  private readonly folded = new Map<View, { next: number; readonly rows: Map<string, object> }>();

  constructor(private readonly events: readonly LogEvent[]) {}

  now(): Views {
    return this;
  }

  asOf(): Views {
    throw new Error('nobody asks here what was');
  }

  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    return work(this);
  }

  position(): number {
    return this.events.length - 1;
  }

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    return (await this.many(view, [key])).get(key) ?? null;
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    return (await Promise.all(views.map((view) => this.get(view, key)))) as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    await Promise.resolve();
    const rows = this.fold(view);
    return new Map(
      keys.flatMap((key) => {
        const row = rows.get(key);
        return row === undefined ? [] : [[key, row] as const];
      }),
    );
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly Item<Row>[]> {
    await Promise.resolve();
    const rows = this.fold(view);
    const items = [...rows].map(([key, row]) => ({ key, row }));
    return listRows(view, items, query).flatMap(({ key }) => {
      const row = rows.get(key);
      return row === undefined ? [] : [{ key, row }];
    });
  }

  private fold<Row extends object>(view: View<Row>): ReadonlyMap<string, Row> {
    const known = this.folded.get(view) ?? { next: 0, rows: new Map<string, object>() };
    this.folded.set(view, known);
    // Kept by the view that they belong to.
    const rows = known.rows as Map<string, Row>;
    for (; known.next < this.events.length; known.next++) {
      const event = this.events[known.next];
      const today = event === undefined ? null : asToday(event);
      const key = today === null ? null : view.key(today);
      if (today === null || key === null) continue;
      const row = view.evolve(rows.get(key) ?? null, today);
      if (row === null) rows.delete(key);
      else rows.set(key, row);
    }
    return rows;
  }
}
