import type { CliAction } from '../command.ts';
import { lineOf, lineOfParked } from './projection-lines.ts';
import { withProjections } from './projection-session.ts';

export const listAction: CliAction = {
  about: 'Where every projection stands',
  run: ({ config, output }) =>
    withProjections(config(), output, async (admin) => {
      const projections = await admin.list();
      output.result({ projections }, () => projections.map((one) => lineOf(one, process.stdout.isTTY)).join('\n'));
      return 0;
    }),
};

export const statusAction: CliAction = {
  about: 'Where one projection stands; exit status 1 when it failed',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const found = await admin.status(input.args[0] ?? '');
      output.result(found, () => lineOf(found, process.stdout.isTTY));
      return found.state === 'failed' ? 1 : 0;
    }),
};

export const parkedAction: CliAction = {
  about: 'The events that a projection could not take, and what waits behind them',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withProjections(config(), output, async (admin) => {
      const waiting = await admin.parked(input.args[0] ?? '');
      output.result({ parked: waiting }, () => (waiting.length === 0 ? 'Nothing is parked.' : waiting.map(lineOfParked).join('\n')));
      return 0;
    }),
};
