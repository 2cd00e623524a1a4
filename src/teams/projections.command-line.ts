import { systemContext } from '../platform/commands/context.ts';
import { SkipForProjection, VoidEvent } from '../history/system.commands.ts';
import type { ParkedKey, ProjectionAdmin, ProjectionStatus } from '../platform/read-models/admin/projection-admin.ts';
import { forgetTeam } from './database/team-role.ts';
import { type CliAction, type CliCommand, type CliOutput, WrongUse } from '../platform/cli/command.ts';
import { bar } from '../platform/cli/progress.ts';
import { WATCH, watched } from '../platform/cli/watched.ts';
import { withProjections } from './command-line/projection-session.ts';
import { query } from './command-line/query.action.ts';
import { rebuild } from './command-line/rebuild.action.ts';

/** It failed, or no instance runs it. */
const needsAttention = ({ state }: ProjectionStatus): boolean => state === 'failed' || state === 'stopped';

/** Answers 1 when a projection needs attention. */
async function showAll(admin: ProjectionAdmin, output: CliOutput): Promise<number> {
  const projections = await admin.list();
  output.result({ projections }, () => projections.map((one) => lineOf(one, process.stdout.isTTY)).join('\n'));
  return projections.some(needsAttention) ? 1 : 0;
}

const list: CliAction = {
  about: 'Show the status of every projection',
  options: WATCH,
  run: ({ input, config, output }) =>
    withProjections(config(), output, (admin) =>
      watched(input, output, async (shown) => {
        await showAll(admin, shown);
        return 0;
      }),
    ),
};

const status: CliAction = {
  about: 'Show the status of one projection, or of all; exit status 1 when one failed or no instance runs it',
  args: ['[NAME]'],
  options: WATCH,
  run: ({ input, config, output }) =>
    withProjections(config(), output, (admin) =>
      watched(input, output, async (shown) => {
        const [name] = input.args;
        if (name === undefined) return showAll(admin, shown);
        const found = await admin.status(name);
        shown.result(found, () => lineOf(found, process.stdout.isTTY));
        return needsAttention(found) ? 1 : 0;
      }),
    ),
};

const parked: CliAction = {
  about: 'List the events that a projection parked, and how often they were tried',
  args: ['NAME'],
  options: WATCH,
  run: ({ input, config, output }) =>
    withProjections(config(), output, (admin) =>
      watched(input, output, async (shown) => {
        const keys = await admin.parked(input.args[0] ?? '');
        shown.result({ parked: keys }, () => (keys.length === 0 ? 'Nothing is parked.' : keys.map(lineOfParked).join('\n')));
        return 0;
      }),
    ),
};

const pause: CliAction = {
  about: 'Pause a projection; the core views cannot be paused',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = ''] = input.args;
      await admin.pause(name);
      output.result({ name, paused: true }, `${name} will pause.`);
      return 0;
    }),
};

const resume: CliAction = {
  about: 'Resume a paused projection',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = ''] = input.args;
      await admin.resume(name);
      output.result({ name, paused: false }, `${name} will resume.`);
      return 0;
    }),
};

const retry: CliAction = {
  about: 'Retry a parked event of a projection',
  args: ['NAME', 'EVENT'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = '', eventId = ''] = input.args;
      await admin.retry(name, eventId);
      output.result({ name, eventId, retry: true }, `${name} will retry ${eventId}.`);
      return 0;
    }),
};

const skip: CliAction = {
  about: "Skip a parked event: for a team's projection until its version is raised, for a core view permanently and for all projections",
  args: ['NAME', 'EVENT'],
  options: { reason: { type: 'string', value: 'TEXT', about: 'the reason, recorded in the log; required' } },
  run: ({ input, config, output }) => {
    const reason = input.text('reason')?.trim() ?? '';
    if (reason === '') throw new WrongUse('--reason: is required, because the log records it');
    return withProjections(config(), output, async (admin, { commands }) => {
      const [name = '', eventId = ''] = input.args;
      const { n, only } = await admin.skipOf(name, eventId);
      const context = systemContext({ kind: 'cli', id: 'projections' }, Date.now());
      const event = { n, eventId, reason };
      if (only === null) await commands.execute(new VoidEvent(context, { event }));
      else await commands.execute(new SkipForProjection(context, { skipped: { ...only, ...event } }));
      const who = only === null ? 'Every projection' : `Version ${String(only.version)} of ${name}`;
      output.result({ name, eventId, n, skipped: true, everywhere: only === null, reason }, `${who} skips ${eventId} from now on.`);
      return 0;
    });
  },
};

const remove: CliAction = {
  about: 'Remove a projection whose package no instance runs any more, with its tables',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = ''] = input.args;
      await admin.remove(name, (client) => forgetTeam(client, name));
      output.result({ name }, `${name} is removed.`);
      return 0;
    }),
};

/** `isTerminal`: draws a bar beside the numbers of a rebuild. */
function lineOf(status: ProjectionStatus, isTerminal: boolean): string {
  const { name, version, state, position, head, gap, lag, parked: parkedCount, ...more } = status;
  const { done, total, etaSeconds, error, process: ended } = more;
  const filled =
    done === undefined || total === undefined ? '' : `${isTerminal ? `${bar(done, total)} ` : ''}${String(done)} of ${String(total)}`;
  const left = etaSeconds === undefined ? '' : `${String(etaSeconds)} s left`;
  return [
    name.padEnd(20),
    `version ${version}`,
    state.padEnd(8),
    `at ${String(position)} of ${String(head)}`,
    `gap ${String(gap)}`,
    `lag ${lag.toFixed(1)} s`,
    parkedCount === 0 ? '' : `${String(parkedCount)} parked`,
    filled,
    left,
    error ?? (ended === undefined ? '' : `its process ended ${String(ended.ends)} times, last at ${ended.endedAt}: ${ended.reason}`),
  ]
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd();
}

const lineOfParked = ({ eventId, n, type, key, attempts, error }: ParkedKey): string =>
  `${eventId}  at ${String(n)}  ${type}  ${key}  tried ${String(attempts)} times: ${error}`;

export const command: CliCommand = {
  about: 'Show, pause, rebuild and repair the read models of a running service',
  actions: { list, status, pause, resume, rebuild, parked, retry, skip, remove, query },
};
