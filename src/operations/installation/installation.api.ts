import { INSTANCE_ROLES } from '../../platform/config/config.ts';
import { json, type Operations } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { instant } from '../../platform/http/description/vocabulary.ts';

const bound = (of: string, example: number) => orNull(integer(`${of}; null: no bound`, { examples: [example] }));

const plan = named(
  'Plan',
  record('A subscription plan', {
    name: text('Name', { examples: ['basic'] }),
    apiAccess: flag('Whether programs may use the API'),
    maxProjects: bound('Projects of one owner', 10),
    defaultPeriod: text('Period of a new project', { examples: ['30 minutes'] }),
    minUptimePeriod: integer('Shortest period of uptime probes, in seconds', { examples: [30] }),
    secondFactor: flag('Whether its accounts must have a second factor', { examples: [false] }),
    budgets: record('What an account may use up', {
      requestsPerMinute: bound('Requests a minute', 600),
      requestsPerMinuteOfToken: bound('Requests a minute of one token', 600),
      liveStreams: bound('Live streams at once', 20),
      runningJobs: bound('Running jobs', 20),
      eventMegabytesPerDay: bound('MiB of events a day', 100),
    }),
  }),
);

const installation = named(
  'Installation',
  record('What an administrator has to know of the installation', {
    version: text('Version of the program', { examples: ['0.1.0'] }),
    engine: word(['postgres', 'kurrentdb'], 'Where events are stored'),
    roles: list(word(INSTANCE_ROLES, 'A role'), 'Of the instance that answers', { examples: [['api', 'checker']] }),
    defaultPlan: text('Plan of a new account', { examples: ['basic'] }),
    plans: list(plan, 'Every plan'),
  }),
);
export type InstallationAnswer = ValueOf<typeof installation>;

const examination = named(
  'Examination',
  record('What `watchledger doctor` finds on the instance that answers', {
    examinedAt: instant('Time of the examination, at most 30 s ago'),
    healthy: flag('Whether no finding is `fail`'),
    findings: list(
      record('A finding', {
        name: text('What was examined', { examples: ['database'] }),
        state: word(['ok', 'warn', 'fail'], 'State', { examples: ['warn'] }),
        found: text('What was found', { examples: ['its clock is 3 s behind'] }),
        advice: orNull(text('What to do about it', { examples: ['synchronise the clocks'] })),
      }),
      'In the order in which to fix them',
    ),
  }),
);
export type ExaminationAnswer = ValueOf<typeof examination>;

export const installationOperations: Operations = {
  'GET /ops/installation': {
    id: 'getInstallation',
    tag: 'Accounts',
    summary: 'Read version, engine and plans of the installation',
    answer: json(installation),
  },
  'GET /ops/doctor': {
    id: 'examineInstallation',
    tag: 'Accounts',
    summary: 'Examine the instance, as `watchledger doctor` does',
    answer: json(examination),
  },
};
