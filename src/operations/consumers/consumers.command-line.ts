import { withResources } from '../../app/with-parts.ts';
import type { Resources } from '../../app/resources.ts';
import { type CliAction, type CliCommand, type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { WATCH, watched } from '../../platform/cli/watched.ts';
import type { Config } from '../../platform/config/config.ts';
import { ConsumerAdmin, type ConsumerStatus, type ParkedPartition } from '../../platform/consumers/consumer-admin.ts';
import { CONSUMER_TOPIC } from '../../platform/consumers/consumer-store.ts';

const withConsumers = (
  config: Config,
  output: CliOutput,
  work: (admin: ConsumerAdmin, resources: Resources) => Promise<number>,
): Promise<number> => withResources(config, output, (resources) => work(new ConsumerAdmin(resources.pool), resources));

const list: CliAction = {
  about: 'Show the status of every consumer of the log; exit status 1 when one failed or no instance runs it',
  options: WATCH,
  run: ({ input, config, output }) =>
    withConsumers(config(), output, (admin) =>
      watched(input, output, async (shown) => {
        const consumers = await admin.list();
        shown.result({ consumers }, () => (consumers.length === 0 ? 'No consumer has run yet.' : consumers.map(lineOf).join('\n')));
        return consumers.some(({ state }) => state === 'failed' || state === 'stopped') ? 1 : 0;
      }),
    ),
};

const parked: CliAction = {
  about: 'List the projects and accounts that a consumer has parked, and when each is tried again',
  args: ['NAME'],
  options: WATCH,
  run: ({ input, config, output }) =>
    withConsumers(config(), output, (admin) =>
      watched(input, output, async (shown) => {
        const found = await admin.parked(input.args[0] ?? '');
        shown.result({ parked: found }, () => (found.length === 0 ? 'Nothing is parked.' : found.map(lineOfParked).join('\n')));
        return 0;
      }),
    ),
};

const paused = (about: string, isPaused: boolean): CliAction => ({
  about,
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withConsumers(config(), output, async (admin, { wake }) => {
      const [name = ''] = input.args;
      await admin.setPaused(name, isPaused);
      wake.ring(CONSUMER_TOPIC);
      output.result({ name, paused: isPaused }, `${name} will ${isPaused ? 'pause' : 'resume'}.`);
      return 0;
    }),
});

const ofParked = (
  about: string,
  change: (admin: ConsumerAdmin, name: string, eventId: string) => Promise<void>,
  says: (name: string, eventId: string) => string,
): CliAction => ({
  about,
  args: ['NAME', 'EVENT'],
  run: ({ input, config, output }) =>
    withConsumers(config(), output, async (admin, { wake }) => {
      const [name = '', eventId = ''] = input.args;
      await change(admin, name, eventId);
      wake.ring(CONSUMER_TOPIC);
      output.result({ name, eventId }, says(name, eventId));
      return 0;
    }),
});

const move: CliAction = {
  about: 'Have a consumer go on after another position: events after it are handled again, those before it are left out',
  args: ['NAME'],
  options: { to: { type: 'string', value: 'POSITION', about: 'the last event that counts as handled; -1: none; required' } },
  run: ({ input, config, output }) => {
    const to = input.text('to') ?? '';
    if (!/^(-1|\d{1,15})$/.test(to)) throw new WrongUse('--to: must be a position of the log, or -1');
    return withConsumers(config(), output, async (admin, { wake, log }) => {
      const [name = ''] = input.args;
      const head = await log.head();
      if (Number(to) > head) throw new WrongUse(`--to: the log ends at ${String(head)}`);
      await admin.moveTo(name, Number(to));
      wake.ring(CONSUMER_TOPIC);
      output.result({ name, position: Number(to) }, `${name} continues after ${to}.`);
      return 0;
    });
  },
};

const remove: CliAction = {
  about: 'Forget a reactor whose package no instance runs any more',
  args: ['NAME'],
  run: ({ input, config, output }) =>
    withConsumers(config(), output, async (admin) => {
      const [name = ''] = input.args;
      await admin.remove(name);
      output.result({ name }, `${name} is removed.`);
      return 0;
    }),
};

const lineOf = ({ name, about, state, position, head, gap, lag, parked: count, error }: ConsumerStatus): string =>
  [
    name.padEnd(20),
    state.padEnd(8),
    `at ${String(position)} of ${String(head)}`,
    `gap ${String(gap)}`,
    `lag ${lag.toFixed(1)} s`,
    count === 0 ? '' : `${String(count)} parked`,
    about,
    error ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd();

const lineOfParked = ({ eventId, n, type, scope, attempts, error, retryAt }: ParkedPartition): string =>
  `${eventId}  at ${String(n)}  ${type}  ${scope}  tried ${String(attempts)} times, ${retryAt === null ? 'waits for retry or skip' : `again at ${retryAt}`}: ${error}`;

export const command: CliCommand = {
  about: 'Show, pause and repair what acts on the events of the log: alerts, messages of status pages, reactors',
  actions: {
    list,
    parked,
    pause: paused('Pause a consumer: what follows from events waits until it is resumed', true),
    resume: paused('Resume a paused consumer', false),
    retry: ofParked(
      'Have a consumer try a parked event again at once',
      (admin, name, eventId) => admin.retry(name, eventId),
      (name, eventId) => `${name} tries ${eventId} again.`,
    ),
    skip: ofParked(
      'Have a consumer go on after a parked event',
      (admin, name, eventId) => admin.skip(name, eventId),
      (name, eventId) => `${name} continues after ${eventId}.`,
    ),
    move,
    remove,
  },
};
