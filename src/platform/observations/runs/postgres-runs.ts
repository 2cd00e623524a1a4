import { deflatePack, inflatePack } from '../codec/bytes.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { PackReader } from '../packs/pack-reader.ts';
import { type AcceptanceWindow, type Alongside, type FencedBatch, PackWriter } from '../packs/pack-writer.ts';
import type { Tail } from '../packs/pack-tail.ts';
import type { ObservedItem } from '../packs/flush.codec.ts';
import { type ObservationDb, type ObservationSchema, schemasOf } from '../schemas.ts';
import { checksIn, runKind } from './run.codec.ts';
import type { Run } from './run.ts';
import type { CheckOfRun, MadeRun, RunStore, WholeRun } from './run-store.ts';

/** Writes full results beside the packed runs: the latest of each check, and those of jobs. */
const fullResults = (schema: ObservationSchema): string => `
  latest AS (
    INSERT INTO ${schema.table('latest_run')} AS run (check_id, project_id, at, whole, requested, ends)
    SELECT * FROM unnest($12::bytea[], $13::bytea[], $14::bigint[], $15::bytea[], $16::bytea[], $17::boolean[]) WHERE (SELECT yes FROM allowed)
    ON CONFLICT (check_id) DO UPDATE SET
      at = excluded.at,
      whole = excluded.whole,
      requested = excluded.requested,
      ends = CASE WHEN run.requested = excluded.requested THEN least(run.ends, excluded.ends) ELSE excluded.ends END
    WHERE excluded.at >= run.at
  ),
  job AS (
    INSERT INTO ${schema.table('job_run')} AS run (job_id, check_id, at, whole)
    SELECT * FROM unnest($18::bytea[], $19::bytea[], $20::bigint[], $21::bytea[]) WHERE (SELECT yes FROM allowed)
    ON CONFLICT (job_id, check_id) DO UPDATE SET at = excluded.at, whole = excluded.whole WHERE excluded.at >= run.at
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
    private readonly db: ObservationDb,
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

  tail(projectIds: readonly string[], from: number): Promise<Tail<Run>> {
    return this.reader.tail(projectIds, from);
  }

  lastOf(projectId: string, checkIds: readonly string[], until: number): Promise<ReadonlyMap<string, Run>> {
    return this.lastRuns(projectId, new Map(checkIds.map((checkId) => [checkId, until + 1])), until);
  }

  lastBefore(projectId: string, instants: ReadonlyMap<string, number>, recordedUntil?: number): Promise<ReadonlyMap<string, Run>> {
    return this.lastRuns(projectId, instants, recordedUntil);
  }

  async latest(checks: readonly CheckOfRun[]): Promise<ReadonlyMap<string, WholeRun>> {
    const schemas = schemasOf(this.db);
    const found = [...schemas.group(checks, ({ projectId }) => schemas.ofProject(projectId))].map(([schema, ofSchema]) =>
      this.db.query<WholeRow>({
        name: schema.statement('latest_runs'),
        text: `SELECT check_id, at, whole FROM ${schema.table('latest_run')} WHERE check_id = ANY ($1::bytea[])`,
        values: [ofSchema.map(({ checkId }) => idBytes(checkId))],
      }),
    );
    const runs = (await Promise.all(found)).flatMap(({ rows }) => rows.map(wholeRun));
    return new Map(runs.map((run) => [run.checkId, run]));
  }

  async latestOf(projectId: string, limit: number): Promise<readonly Pick<WholeRun, 'checkId' | 'at'>[]> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const { rows } = await this.db.query<Omit<WholeRow, 'whole'>>({
      name: schema.statement('latest_of_project'),
      text: `SELECT check_id, at FROM ${schema.table('latest_run')} WHERE project_id = $1 ORDER BY at DESC LIMIT $2`,
      values: [idBytes(projectId), limit],
    });
    return rows.map(({ check_id, at }) => ({ checkId: idText(check_id), at: Number(at) }));
  }

  async haveEnded(projectId: string, requested: string, checkId: string | null): Promise<boolean> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const text = `SELECT FROM ${schema.table('latest_run')} WHERE ${checkId === null ? 'project_id' : 'check_id'} = $1 AND requested = $2 AND ends LIMIT 1`;
    const name = schema.statement(`have_ended_of_${checkId === null ? 'project' : 'check'}`);
    const { rowCount } = await this.db.query({ name, text, values: [idBytes(checkId ?? projectId), Buffer.from(requested, 'hex')] });
    return rowCount === 1;
  }

  async ofJob(projectId: string, jobId: string): Promise<readonly WholeRun[]> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const text = `SELECT check_id, at, whole FROM ${schema.table('job_run')} WHERE job_id = $1 ORDER BY at, check_id`;
    const { rows } = await this.db.query<WholeRow>({ name: schema.statement('job_runs'), text, values: [idBytes(jobId)] });
    return rows.map(wholeRun);
  }

  async inJobs({ projectId, checkId }: CheckOfRun, jobIds: readonly string[]): Promise<readonly WholeRun[]> {
    if (jobIds.length === 0) return [];
    const schema = schemasOf(this.db).ofProject(projectId);
    const text = `SELECT check_id, at, whole FROM ${schema.table('job_run')} WHERE job_id = ANY ($1::bytea[]) AND check_id = $2`;
    const { rows } = await this.db.query<WholeRow>({
      name: schema.statement('runs_in_jobs'),
      text,
      values: [jobIds.map(idBytes), idBytes(checkId)],
    });
    return rows.map(wholeRun);
  }

  private async lastRuns(
    projectId: string,
    before: ReadonlyMap<string, number>,
    recordedUntil?: number,
  ): Promise<ReadonlyMap<string, Run>> {
    const found = new Map<string, Run>();
    if (before.size === 0) return found;
    const mayHold = (pack: Uint8Array): boolean => checksIn(pack).some((checkId) => before.has(checkId) && !found.has(checkId));
    const options = { mayHold, ...(recordedUntil !== undefined && { recordedUntil }) };
    for await (const runs of this.reader.backwards(projectId, Math.max(...before.values()) - 1, options)) {
      for (const run of runs) {
        const known = found.get(run.checkId);
        if (run.at < (before.get(run.checkId) ?? -Infinity) && (known === undefined || known.at < run.at)) found.set(run.checkId, run);
      }
      if (found.size === before.size) break;
    }
    return found;
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
  expressions: fullResults,
  values: (observed) => {
    const packed = new Map(observed.map(({ item }) => [item, deflatePack(Buffer.from(JSON.stringify(item.whole), 'utf8'))]));
    const latest = lastOfEach(observed, ({ latest, checkId }) => (latest ? checkId : null));
    const jobs = lastOfEach(observed, ({ jobId, checkId }) => (jobId === null ? null : `${jobId} ${checkId}`));
    return [
      latest.map(({ item }) => idBytes(item.checkId)),
      latest.map(({ projectId }) => idBytes(projectId)),
      latest.map(({ item }) => item.at),
      latest.map(({ item }) => packed.get(item)),
      latest.map(({ item }) => Buffer.from(item.requested, 'hex')),
      latest.map(({ item }) => item.ends),
      jobs.map(({ item }) => idBytes(item.jobId ?? '')),
      jobs.map(({ item }) => idBytes(item.checkId)),
      jobs.map(({ item }) => item.at),
      jobs.map(({ item }) => packed.get(item)),
    ];
  },
};
