import { ownContext } from '../../../commands/context.ts';
import { Handling } from '../../../commands/handle.ts';
import { VoidEvent, VoidEventHandler } from '../../../commands/system/void-event.command.ts';
import { type CliAction, WrongUse } from '../command.ts';
import { withProjections } from './projection-session.ts';

export const pause: CliAction = {
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

export const resume: CliAction = {
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

export const retry: CliAction = {
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

export const skip: CliAction = {
  about: 'Let every projection pass over an event that this one could not take, for good. It stays in the log, and so does the reason',
  args: ['NAME', 'EVENT'],
  options: { reason: { type: 'string', value: 'TEXT', about: 'why, for those who read it later; needed' } },
  run: ({ input, config, output }) => {
    const reason = input.text('reason')?.trim() ?? '';
    if (reason === '') throw new WrongUse('--reason is missing: whoever reads the log later has to know why');
    return withProjections(config(), output, async (admin, { store }) => {
      const [name = '', eventId = ''] = input.args;
      const { n } = await admin.parkedBy(name, eventId);
      // Also while the read models are behind: this is what may get them going again.
      const handler = new VoidEventHandler(new Handling(store, { check: () => undefined }));
      await handler.execute(new VoidEvent(ownContext({ kind: 'cli', id: 'projections' }, Date.now()), { n, eventId, reason }));
      output.result({ name, eventId, n, skipped: true, reason }, `Every projection passes over ${eventId} from now on.`);
      return 0;
    });
  },
};
