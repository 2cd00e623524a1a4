import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectionAdmin } from '../../projections/admin/projection-admin.ts';
import type { Parts } from '../../app/parts.ts';
import type { CliAction } from '../command.ts';
import { interruptible } from '../terminal.ts';
import { Progress } from '../progress.ts';
import { withProjections } from './projection-session.ts';

const BETWEEN_LOOKS_MS = 300;

interface Rebuilt {
  readonly name: string;
  readonly outcome: 'asked' | 'rebuilt' | 'given up';
}

const WORDS: Readonly<Record<Rebuilt['outcome'], string>> = {
  asked: 'will be filled again beside the tables in use, which then change places',
  rebuilt: 'was filled again',
  'given up': 'was not filled again: the log of the service says why',
};

export const rebuild: CliAction = {
  about: 'Fill a projection again from the log while the service goes on; of a core view: all of them',
  args: ['NAME'],
  options: { wait: { type: 'boolean', about: 'stay until it is done, with progress. Ctrl-C stops the waiting, not the rebuild' } },
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin, parts) => {
      const [name = ''] = input.args;
      const before = await tablesOf(parts, name);
      await admin.rebuild(name);
      const outcome = input.flag('wait') ? await interruptible((signal) => follow(admin, parts, name, before, signal)) : 'asked';
      output.result({ name, outcome }, `${name} ${WORDS[outcome]}.`);
      return outcome === 'given up' ? 1 : 0;
    }),
};

/** Finished when the tables were replaced; abandoned when the mark was removed and they are the same. */
async function follow(
  admin: ProjectionAdmin,
  parts: Parts,
  name: string,
  before: Tables,
  signal: AbortSignal,
): Promise<Rebuilt['outcome']> {
  const progress = new Progress(name);
  try {
    while (!signal.aborted) {
      const tables = await tablesOf(parts, name);
      if (!tables.marked && tables.made !== null) return tables.made === before.made ? 'given up' : 'rebuilt';
      const { done, total } = await admin.status(name);
      if (done !== undefined && total !== undefined) progress.report(done, total);
      await sleep(BETWEEN_LOOKS_MS, undefined, { signal }).catch(() => undefined);
    }
    return 'asked';
  } finally {
    progress.end();
  }
}

interface Tables {
  /** When the tables in use were begun. */
  readonly made: string | null;
  readonly marked: boolean;
}

async function tablesOf({ pool, unit }: Parts, name: string): Promise<Tables> {
  const core = unit.views.some((view) => view.name === name) || name === unit.name;
  const { rows } = await pool.query<Tables>(
    `SELECT created_at::text AS made, rebuild AS marked FROM projection
     WHERE CASE WHEN $1::text IS NULL THEN name = $2 AND schema NOT LIKE '%\\_next' AND schema NOT LIKE '%\\_replay' ELSE schema = $1 END
     ORDER BY created_at DESC LIMIT 1`,
    [core ? unit.schema : null, name],
  );
  return rows[0] ?? { made: null, marked: false };
}
