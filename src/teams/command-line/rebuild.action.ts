import { pause } from '../../kernel/abortable.ts';
import type { ProjectionAdmin } from '../../platform/read-models/admin/projection-admin.ts';
import type { Resources } from '../../app/resources.ts';
import type { CliAction } from '../../platform/cli/command.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { Progress } from '../../platform/cli/progress.ts';
import { withProjections } from './projection-session.ts';

const POLL_MS = 300;

interface Rebuilt {
  readonly name: string;
  readonly outcome: 'asked' | 'rebuilt' | 'given up';
}

const TEXTS: Readonly<Record<Rebuilt['outcome'], string>> = {
  asked: 'will be rebuilt beside the tables in use, which are swapped when the rebuild is complete',
  rebuilt: 'was rebuilt',
  'given up': 'was not rebuilt: see the log of the service',
};

export const rebuild: CliAction = {
  about: 'Rebuild a projection from the log while the service runs (blue/green); a core view: all core views',
  args: ['NAME'],
  options: { wait: { type: 'boolean', about: 'wait until it is complete and show progress; Ctrl-C stops waiting, not the rebuild' } },
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin, resources) => {
      const [name = ''] = input.args;
      const before = await tablesOf(resources, name);
      await admin.rebuild(name);
      const outcome = input.flag('wait')
        ? await interruptible((signal) => waitForRebuild(admin, resources, name, before, signal))
        : 'asked';
      output.result({ name, outcome }, `${name} ${TEXTS[outcome]}.`);
      return outcome === 'given up' ? 1 : 0;
    }),
};

/** Rebuilt when the tables were swapped; given up when the mark was removed without a swap. */
async function waitForRebuild(
  admin: ProjectionAdmin,
  resources: Resources,
  name: string,
  before: Tables,
  signal: AbortSignal,
): Promise<Rebuilt['outcome']> {
  const progress = new Progress(name);
  try {
    while (!signal.aborted) {
      const tables = await tablesOf(resources, name);
      if (!tables.marked && tables.made !== null) return tables.made === before.made ? 'given up' : 'rebuilt';
      const { done, total } = await admin.status(name);
      if (done !== undefined && total !== undefined) progress.report(done, total);
      await pause(POLL_MS, signal);
    }
    return 'asked';
  } finally {
    progress.end();
  }
}

interface Tables {
  /** Creation time of the tables in use, which changes with a swap. */
  readonly made: string | null;
  readonly marked: boolean;
}

async function tablesOf({ pool, unit }: Resources, name: string): Promise<Tables> {
  const core = unit.views.some((view) => view.name === name) || name === unit.name;
  const { rows } = await pool.query<Tables>(
    `SELECT created_at::text AS made, rebuild AS marked FROM projection
     WHERE CASE WHEN $1::text IS NULL THEN name = $2 AND schema NOT LIKE '%\\_next' AND schema NOT LIKE '%\\_replay' ELSE schema = $1 END
     ORDER BY created_at DESC LIMIT 1`,
    [core ? unit.schema : null, name],
  );
  return rows[0] ?? { made: null, marked: false };
}
