import { randomBytes } from 'node:crypto';
import { CommandRunner } from '../../../src/platform/commands/command-runner.ts';
import { systemContext } from '../../../src/platform/commands/context.ts';
import { CreateProject, CreateProjectHandler } from '../../../src/projects/project.commands.ts';
import { PROJECT_SLOT } from '../../../src/projects/project-slot.ts';
import { PostgresClaims } from '../../../src/platform/postgres/postgres-claims.ts';
import { PostgresKeyring } from '../../../src/platform/security/keyring/postgres-keyring.ts';
import { steadyClock } from '../../../src/kernel/clock.ts';
import { masterKeys } from '../../../test/support/master-keys.ts';
import { openAccounts, plansWith } from '../../../test/support/open-accounts.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import type { FlatCase } from '../flat-case.ts';
import { OWNER } from '../flat-events.ts';

/** The command behind `POST /project/create`, of an account that has all projects of the database. */
const createCase = (name: string, maxProjects: number | null): FlatCase => ({
  name: `POST /project/create: the command, ${name}`,
  over: 'projects',
  calls: 40,
  prepare: async ({ pool, store }, size) => {
    const runner = new CommandRunner(store);
    const claims = new PostgresClaims(pool, false);
    const { rows } = await pool.query(`SELECT FROM log WHERE stream = 'account-${String(OWNER)}' LIMIT 1`);
    if (rows.length === 0) await openAccounts(runner, OWNER);
    await pool.query(
      `INSERT INTO claim (kind, key, owner, number, holder) SELECT $1, $2 || '/' || n, $2, n, 'project-' || n FROM generate_series(1, $3::int) AS n
       ON CONFLICT DO NOTHING`,
      [PROJECT_SLOT, String(OWNER), size],
    );
    await pool.query('VACUUM ANALYZE claim');
    const keyring = new PostgresKeyring(pool, masterKeys(pool, Buffer.alloc(32, 1)), steadyClock, false);
    const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
    const handler = new CreateProjectHandler(runner, claims, plansWith(maxProjects), keyring, secrets);
    const context = () =>
      systemContext({ kind: 'user', id: String(OWNER) }, Date.now(), { commandId: randomBytes(16).toString('hex'), repeat: false });
    return () => handler.execute(new CreateProject(context(), { payerId: OWNER, settings: projectSettings, beginning: { preset: false } }));
  },
});

export default [createCase('no limit', null), createCase('a limit', 1_000_000)];
