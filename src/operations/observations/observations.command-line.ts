import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { type Moved, moveObservations, type MoveOrder } from '../backup/move-observations.ts';
import { databasePlace } from '../../platform/observations/observation-home.ts';
import { type CliAction, type CliCommand, WrongUse } from '../../platform/cli/command.ts';
import { Progress } from '../../platform/cli/progress.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { withResources } from '../../app/with-parts.ts';

const POLL_MS = 100;
const LIMIT_MS = 60_000;

/** Live owners of shards: each stores observations until it has released them. */
const OWNERS = `
  SELECT count(*)::int AS owners FROM lease WHERE name LIKE 'checker %' AND holder IS NOT NULL
  AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`;

/** Resolves when every checker has released its shards. */
async function observationsArePaused(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await pool.query<{ owners: number }>(OWNERS);
    if (rows[0]?.owners === 0) return;
    if (performance.now() - began > LIMIT_MS)
      throw new Error(`the checkers did not pause within ${String(LIMIT_MS / 1_000)} s: stop them and repeat the command`);
    await sleep(POLL_MS);
  }
}

const move: CliAction = {
  about:
    'Copy the observations to OBSERVATIONS_URL while the service runs, pause its checkers for the last of them, and leave a mark: from then on the service starts with OBSERVATIONS_URL only. Can be interrupted and repeated',
  options: { back: { type: 'boolean', about: 'back to the database of the log, from where they were moved' } },
  run: ({ input, output, config: read }) => {
    const config = read();
    const { observationsUrl } = config;
    if (observationsUrl === undefined) throw new WrongUse('OBSERVATIONS_URL names the other database: set it for this command');
    // The running service may be without it.
    return withResources({ ...config, observationsUrl: undefined, observationSchemas: 1 }, output, async ({ databaseUrl, pool, seal }) => {
      const [log, apart] = [
        { url: databaseUrl, hasLog: true },
        { url: observationsUrl, hasLog: false, schemas: new ObservationSchemas(config.observationSchemas) },
      ];
      const isBack = input.flag('back');
      const bar = new Progress(isBack ? 'move back' : 'move', process.stderr, undefined, 'rows');
      try {
        const moved = await interruptible((signal) => {
          const order: MoveOrder = {
            ...(isBack ? { from: apart, to: log, movedTo: '' } : { from: log, to: apart, movedTo: databasePlace(observationsUrl) }),
            installation: seal.origin,
            signal,
            progress: (_, rows) => {
              bar.report(rows, rows);
            },
            whenPaused: () => observationsArePaused(pool, signal),
          };
          return moveObservations(order);
        });
        bar.end();
        output.result({ ...moved }, text(moved, isBack));
        return 0;
      } finally {
        bar.end();
      }
    });
  },
};

const text = ({ rows, pausedMs }: Moved, isBack: boolean): string =>
  [
    `Moved: ${Object.entries(rows)
      .map(([table, count]) => `${table} ${String(count)}`)
      .join(', ')}; the checkers were asked to pause ${(pausedMs / 1_000).toFixed(1)} s ago.`,
    isBack
      ? 'Restart every process of the service without OBSERVATIONS_URL now.'
      : 'Restart every process of the service with OBSERVATIONS_URL now: until then checks are suspended. The copies that are left in DATABASE_URL are not read any more.',
  ].join('\n');

export const command: CliCommand = {
  about: 'Move the observations to a database of their own, or back',
  actions: { move },
};
