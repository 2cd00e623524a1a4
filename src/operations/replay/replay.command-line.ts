import type pg from 'pg';
import { StartRefused } from '../../kernel/start-refused.ts';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { type CliCommand, WrongUse } from '../../platform/cli/command.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { compare } from './compare.ts';
import { intoSchema, readTarget } from './into-schema.ts';
import { withParts } from '../../app/with-parts.ts';

export const command: CliCommand = {
  about:
    'Rebuild the read models from the log, beside the live ones, and compare row by row; exit status 1 and the names of differing rows. Changes nothing',
  options: {
    projection: { type: 'string', value: 'NAME', about: 'only this projection' },
    until: { type: 'string', value: 'TIME', about: 'ISO 8601, with --into: instead of comparing, keep the read models as of this time' },
    into: { type: 'string', value: 'SCHEMA', about: 'a new database schema for them, to be queried with SQL' },
  },
  run: ({ input, output, config: read }) => {
    const target = readTarget(input.text('until'), input.text('into'));
    const only = input.text('projection');
    if (target !== null && only !== undefined) throw new WrongUse('--projection: not available with --into, which keeps all projections');
    const config = read();
    return withParts(config, output, (parts) =>
      interruptible((signal) =>
        withReplayLock(parts.pool, () =>
          target === null ? compare(parts, config, output, signal, only) : intoSchema(parts, config, target, output, signal),
        ),
      ),
    );
  },
};

/** One replay at a time: two would drop each other's tables. The lock ends with its connection. */
async function withReplayLock<Result>(db: pg.Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await db.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCKS.replay]);
    if (rows[0]?.locked !== true) throw new StartRefused('another replay is running on this database');
    return await work();
  } finally {
    client.release(true);
  }
}
