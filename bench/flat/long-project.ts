import { PostgresStreamSnapshots } from '../../src/platform/commands/snapshots/postgres-stream-snapshots.ts';
import { projectStream } from '../../src/kernel/stream-names.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import { SnapshotLoop } from '../../src/platform/read-models/views/snapshot-loop.ts';
import type { FlatDatabase } from './flat-database.ts';
import { folds } from '../../src/app/folds.ts';

/** A project with a history of renames, and the snapshots that the service makes of it as it grows. */
export interface LongProject {
  readonly projectId: string;
  /** Positions of its first and last event. */
  readonly first: number;
  readonly last: number;
}

const made = new WeakMap<FlatDatabase, Map<number, Promise<LongProject>>>();

/** Cases share the project of a size. */
export function longProject(database: FlatDatabase, events: number): Promise<LongProject> {
  const bySize = made.get(database) ?? new Map<number, Promise<LongProject>>();
  made.set(database, bySize);
  const known = bySize.get(events) ?? make(database, events);
  bySize.set(events, known);
  return known;
}

async function make({ pool, log, unit, store, projectOfChecks }: FlatDatabase, events: number): Promise<LongProject> {
  const projectId = derivedId('long', events).replaceAll('-', '').slice(0, 24);
  const scope = projectStream(projectId);
  const first = (await log.head()) + 1;
  await pool.query(CREATED, [first, scope, projectStream(projectOfChecks(1)), projectOfChecks(1), projectId]);
  await pool.query(RENAMED, [first, scope, events - 1]);
  await pool.query('VACUUM ANALYZE log');
  await new SnapshotLoop({ unit, log, db: pool }).extend(scope);
  const snapshots = new PostgresStreamSnapshots(pool, store, folds);
  snapshots.refresh(scope);
  await snapshots.idle();
  return { projectId, first, last: first + events - 1 };
}

const COLUMNS = 'n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta';

const CREATED = `
  INSERT INTO log (${COLUMNS})
  SELECT $1::bigint, $1::text, gen_random_uuid(), $2, 0, type, version, $2, now(), replace(data, $4, $5), meta
  FROM log WHERE stream = $3 AND revision = 0`;

const RENAMED = `
  INSERT INTO log (${COLUMNS})
  SELECT l.n + i, (l.n + i)::text, gen_random_uuid(), $2, i, 'ProjectRenamed', 1, $2, l.recorded_at + i * interval '1 millisecond',
    '{"from":"Title ' || i - 1 || '","to":"Title ' || i || '"}', l.meta
  FROM log l, generate_series(1, $3::bigint) AS i WHERE l.n = $1::bigint`;
