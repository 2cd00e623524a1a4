import type pg from 'pg';
import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { PackReader } from '../packs/pack-reader.ts';
import { type AcceptanceWindow, type Alongside, type FencedBatch, PackWriter } from '../packs/pack-writer.ts';
import type { ObservedItem } from '../packs/flush.codec.ts';
import { checksIn, runKind } from './run.codec.ts';
import type { Run } from './run.ts';
import type { MadeRun, RunStore, WholeRun } from './run-store.ts';

/** Writes full results beside the packed runs: the latest of each check, and those of jobs. */
const FULL_RESULTS = `
  latest AS (
    INSERT INTO latest_run (check_id, project_id, at, whole)
    SELECT * FROM unnest($12::bytea[], $13::bytea[], $14::bigint[], $15::bytea[]) WHERE (SELECT yes FROM allowed)
    ON CONFLICT (check_id) DO UPDATE SET at = excluded.at, whole = excluded.whole WHERE excluded.at >= latest_run.at
  ),
  job AS (
    INSERT INTO job_run (job_id, check_id, at, whole)
    SELECT * FROM unnest($16::bytea[], $17::bytea[], $18::bigint[], $19::bytea[]) WHERE (SELECT yes FROM allowed)
    ON CONFLICT (job_id, check_id) DO UPDATE SET at = excluded.at, whole = excluded.whole WHERE excluded.at >= job_run.at
  )`;

interface WholeRow {
  readonly check_id: Buffer;
  readonly at: string;
  readonly whole: Buffer;
}

export class PostgresRuns implements RunStore {
  private readonly writer: PackWriter<MadeRun>;
  private readonly reader: PackReader<Run>;

  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    window?: AcceptanceWindow,
  ) {
    this.writer = new PackWriter<MadeRun>(db, runKind, window, alongside);
    this.reader = new PackReader(db, runKind);
  }

  accept(batches: readonly FencedBatch<MadeRun>[]): Promise<ReadonlySet<string>> {
    return this.writer.accept(batches);
  }

  async between(projectId: string, from: number, to: number, checkId?: string, recordedUntil?: number): Promise<readonly Run[]> {
    const runs = await this.reader.between(projectId, from, to, recordedUntil);
    return checkId === undefined ? runs : runs.filter((run) => run.checkId === checkId);
  }

  async lastOf(projectId: string, checkIds: readonly string[], until: number): Promise<ReadonlyMap<string, Run>> {
    const wanted = new Set(checkIds);
    const found = new Map<string, Run>();
    if (wanted.size === 0) return found;
    const mayHold = (pack: Uint8Array): boolean => checksIn(pack).some((checkId) => wanted.has(checkId) && !found.has(checkId));
    for await (const runs of this.reader.backwards(projectId, until, { mayHold, recordedUntil: until })) {
      for (const run of runs) {
        const known = found.get(run.checkId);
        if (wanted.has(run.checkId) && (known === undefined || known.at < run.at)) found.set(run.checkId, run);
      }
      if (found.size === wanted.size) break;
    }
    return found;
  }

  async latest(checkIds: readonly string[]): Promise<ReadonlyMap<string, WholeRun>> {
    const text = 'SELECT check_id, at, whole FROM latest_run WHERE check_id = ANY ($1::bytea[])';
    const { rows } = await this.db.query<WholeRow>({ name: 'latest_runs', text, values: [checkIds.map(idBytes)] });
    return new Map(rows.map(wholeRun).map((run) => [run.checkId, run]));
  }

  async latestOf(projectId: string, limit: number): Promise<readonly Pick<WholeRun, 'checkId' | 'at'>[]> {
    const text = 'SELECT check_id, at FROM latest_run WHERE project_id = $1 ORDER BY at DESC LIMIT $2';
    const { rows } = await this.db.query<Omit<WholeRow, 'whole'>>({ name: 'latest_of_project', text, values: [idBytes(projectId), limit] });
    return rows.map(({ check_id, at }) => ({ checkId: idText(check_id), at: Number(at) }));
  }

  async ofJob(jobId: string): Promise<readonly WholeRun[]> {
    const text = 'SELECT check_id, at, whole FROM job_run WHERE job_id = $1 ORDER BY at, check_id';
    const { rows } = await this.db.query<WholeRow>({ name: 'job_runs', text, values: [idBytes(jobId)] });
    return rows.map(wholeRun);
  }

  async inJobs(checkId: string, jobIds: readonly string[]): Promise<readonly WholeRun[]> {
    if (jobIds.length === 0) return [];
    const text = 'SELECT check_id, at, whole FROM job_run WHERE job_id = ANY ($1::bytea[]) AND check_id = $2';
    const { rows } = await this.db.query<WholeRow>({ name: 'runs_in_jobs', text, values: [jobIds.map(idBytes), idBytes(checkId)] });
    return rows.map(wholeRun);
  }
}

const wholeRun = ({ check_id, at, whole }: WholeRow): WholeRun => ({
  checkId: idText(check_id),
  at: Number(at),
  whole: JSON.parse(Buffer.from(inflatePack(whole)).toString('utf8')) as object,
});

/** The last run per key, because an upsert may touch a row only once; sorted, so that concurrent flushes cannot deadlock. */
const lastOfEach = (
  observed: readonly ObservedItem<MadeRun>[],
  keyOf: (run: MadeRun) => string | null,
): readonly ObservedItem<MadeRun>[] => {
  const byKey = new Map<string, ObservedItem<MadeRun>>();
  for (const one of observed) {
    const key = keyOf(one.item);
    if (key !== null && (byKey.get(key)?.item.at ?? -Infinity) <= one.item.at) byKey.set(key, one);
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
};

const alongside: Alongside<MadeRun> = {
  expressions: FULL_RESULTS,
  values: (observed) => {
    const packed = new Map(observed.map(({ item }) => [item, deflatePack(Buffer.from(JSON.stringify(item.whole), 'utf8'))]));
    const latest = lastOfEach(observed, ({ latest, checkId }) => (latest ? checkId : null));
    const jobs = lastOfEach(observed, ({ jobId, checkId }) => (jobId === null ? null : `${jobId} ${checkId}`));
    return [
      latest.map(({ item }) => idBytes(item.checkId)),
      latest.map(({ projectId }) => idBytes(projectId)),
      latest.map(({ item }) => item.at),
      latest.map(({ item }) => packed.get(item)),
      jobs.map(({ item }) => idBytes(item.jobId ?? '')),
      jobs.map(({ item }) => idBytes(item.checkId)),
      jobs.map(({ item }) => item.at),
      jobs.map(({ item }) => packed.get(item)),
    ];
  },
};
