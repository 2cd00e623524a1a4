import { systemContext } from '../../commands/context.ts';
import { SkipForProjection, VoidEvent } from '../../commands/system.commands.ts';
import { type CliAction, WrongUse } from '../command.ts';
import { withProjections } from './projection-session.ts';

export const pauseAction: CliAction = {
  about: 'Let a projection stand still; the core views cannot',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = ''] = input.args;
      await admin.pause(name);
      output.result({ name, paused: true }, `${name} will stand still.`);
      return 0;
    }),
};

export const resumeAction: CliAction = {
  about: 'Let a paused projection go on',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = ''] = input.args;
      await admin.resume(name);
      output.result({ name, paused: false }, `${name} will go on.`);
      return 0;
    }),
};

export const retryAction: CliAction = {
  about: 'Let a projection try an event again that it could not take',
  args: ['NAME', 'EVENT'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const [name = '', eventId = ''] = input.args;
      await admin.retry(name, eventId);
      output.result({ name, eventId, retry: true }, `${name} will try ${eventId} again.`);
      return 0;
    }),
};

export const skipAction: CliAction = {
  about:
    "Pass over an event that a projection could not take: a team's for itself, until its version is raised; a core view's for all, for good",
  args: ['NAME', 'EVENT'],
  options: { reason: { type: 'string', value: 'TEXT', about: 'why, for those who read it later; needed' } },
  run: ({ input, config, output }) => {
    const reason = input.text('reason')?.trim() ?? '';
    if (reason === '') throw new WrongUse('--reason is missing: the log records why');
    return withProjections(config(), output, async (admin, { commands }) => {
      const [name = '', eventId = ''] = input.args;
      const { n, only } = await admin.skipOf(name, eventId);
      const context = systemContext({ kind: 'cli', id: 'projections' }, Date.now());
      const event = { n, eventId, reason };
      if (only === null) await commands.execute(new VoidEvent(context, event));
      else await commands.execute(new SkipForProjection(context, { ...only, ...event }));
      const who = only === null ? 'Every projection' : `Version ${String(only.version)} of ${name}`;
      output.result({ name, eventId, n, skipped: true, everywhere: only === null, reason }, `${who} passes over ${eventId} from now on.`);
      return 0;
    });
  },
};
