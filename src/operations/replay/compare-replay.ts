import type { Resources } from '../../app/resources.ts';
import { openPool } from '../../platform/postgres/pool.ts';
import type { Config } from '../../platform/config/config.ts';
import type { RowDifference } from '../../platform/read-models/admin/compare-schemas.ts';
import { targetName, type TeamTarget } from '../../platform/read-models/admin/replay-into.ts';
import { type ReplayOptions, replayProjection, replayViews } from '../../platform/read-models/admin/replay.ts';
import { SnapshotLoop } from '../../platform/read-models/views/snapshot-loop.ts';
import type { ViewUnit } from '../../platform/read-models/views/unit.ts';
import { withReplayTargets } from '../../app/companions.ts';
import { type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { Progress } from '../../platform/cli/progress.ts';
import type pg from 'pg';

/** Without a limit for statements: a comparison or an index over a large table takes minutes. */
export async function withReplayPool<Result>(
  { databaseUrl, connectionWatch: watch }: Resources,
  work: (db: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const db = openPool(databaseUrl, { name: 'replay', max: 4, statementTimeoutMs: 0, watch });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

interface Subject {
  readonly name: string;
  readonly replay: (tools: ReplayOptions) => Promise<readonly RowDifference[]>;
}

/** Rebuilds the read models beside the live tables and compares them; answers 0 when equal, else 1 and the differing rows. */
export async function compare(
  resources: Resources,
  config: Config,
  output: CliOutput,
  signal: AbortSignal,
  only: string | undefined,
): Promise<number> {
  return withReplayTargets(resources, config, (targetsIn) =>
    withReplayPool(resources, async (db) => {
      const subjects = subjectsOf(resources, await targetsIn(db), only);
      return compareAll(subjects, { log: resources.log, db, signal }, output);
    }),
  );
}

async function compareAll(subjects: readonly Subject[], tools: Omit<ReplayOptions, 'progress'>, output: CliOutput): Promise<number> {
  const differences: RowDifference[] = [];
  for (const { name, replay } of subjects) {
    const progress = new Progress(`replay of ${name}`);
    const report = (done: number, total: number): void => {
      progress.report(done, total);
    };
    try {
      differences.push(...(await replay({ ...tools, progress: report })));
    } finally {
      progress.end();
    }
    if (tools.signal.aborted) {
      output.say('Interrupted: the comparison is incomplete, and its tables were dropped.');
      return 1;
    }
  }
  const replayed = subjects.map(({ name }) => name);
  output.result({ equal: differences.length === 0, replayed, differences }, () =>
    differences.length === 0 ? `Equal, row by row: ${replayed.join(', ')}.` : `NOT EQUAL\n${differences.map(lineOf).join('\n')}`,
  );
  return differences.length === 0 ? 0 : 1;
}

function subjectsOf(
  { unit: core, log, snapshots }: Resources,
  targets: readonly TeamTarget[],
  only: string | undefined,
): readonly Subject[] {
  const names = core.views.map(({ name }) => name);
  const teams = targets.map((team): Subject => ({
    name: targetName(team),
    replay: (tools) => (team.kind === 'set' ? replayProjection(team.set, tools) : replayViews(team.unit, tools, team.code)),
  }));
  const all: Subject = { name: core.name, replay: (tools) => replayViews(core, tools) };
  if (only === undefined)
    return [
      all,
      ...teams,
      snapshotsOf('as_of_snapshot', ({ db, signal, progress }) => new SnapshotLoop({ unit: core, log, db }).verify(signal, progress)),
      snapshotsOf('stream_snapshot', ({ signal, progress }) => snapshots.verify(signal, progress)),
    ];
  const view = core.views.find(({ name }) => name === only);
  // A single core view is rebuilt alone.
  if (view !== undefined)
    return [{ name: only, replay: (tools) => replayViews({ ...core, views: [view], viewsFor: onlyOf(core, only) }, tools) }];
  const found = [all, ...teams].find(({ name }) => name === only);
  if (found === undefined)
    throw new WrongUse(`there is no projection '${only}': ${[...names, ...teams.map(({ name }) => name)].join(', ')}`);
  return [found];
}

/** Snapshots, each compared with a fold of the events. */
const snapshotsOf = (name: string, verify: (tools: ReplayOptions) => Promise<readonly string[]>): Subject => ({
  name,
  replay: async (tools) => (await verify(tools)).map((key) => ({ view: name, key, kind: 'different', columns: ['state'] })),
});

const onlyOf =
  (unit: ViewUnit, name: string): ViewUnit['viewsFor'] =>
  (event) =>
    unit.viewsFor(event).filter((view) => view.name === name);

const SIGN: Readonly<Record<RowDifference['kind'], string>> = {
  missing: 'is missing from the live table',
  extra: 'is in the live table only',
  different: 'differs',
};

const lineOf = ({ view, key, kind, columns }: RowDifference): string =>
  `${view} ${key} ${SIGN[kind]}${kind === 'different' ? ` in ${columns.join(', ')}` : ''}`;
