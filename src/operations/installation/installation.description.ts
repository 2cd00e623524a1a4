import { INSTANCE_ROLES } from '../../platform/config/config.ts';
import { json, type Operations } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { instant } from '../../platform/http/description/vocabulary.ts';

const bound = (of: string) => orNull(integer(`${of}; null: no bound`));

const plan = named(
  'Plan',
  record('A subscription plan', {
    name: text('Name'),
    apiAccess: flag('Whether programs may use the API'),
    maxProjects: bound('Projects of one owner'),
    defaultPeriod: text('Period of a new project', { examples: ['30 minutes'] }),
    minUptimePeriod: integer('Shortest period of uptime probes, in seconds'),
    secondFactor: flag('Whether its accounts must have a second factor'),
    budgets: record('What an account may use up', {
      requestsPerMinute: bound('Requests a minute'),
      requestsPerMinuteOfToken: bound('Requests a minute of one token'),
      liveStreams: bound('Live streams at once'),
      runningJobs: bound('Running jobs'),
      eventMegabytesPerDay: bound('MiB of events a day'),
    }),
  }),
);

const installation = named(
  'Installation',
  record('What an administrator has to know of the installation', {
    version: text('Version of the program'),
    engine: word(['postgres', 'kurrentdb'], 'Where events are stored'),
    roles: list(word(INSTANCE_ROLES, 'A role'), 'Of the instance that answers'),
    defaultPlan: text('Plan of a new account'),
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
        state: word(['ok', 'warn', 'fail'], 'State'),
        found: text('What was found'),
        advice: orNull(text('What to do about it')),
      }),
      'In the order in which to fix them',
    ),
  }),
);
export type ExaminationAnswer = ValueOf<typeof examination>;

const examplePlan: InstallationAnswer['plans'][number] = {
  name: 'basic',
  apiAccess: true,
  maxProjects: 10,
  defaultPeriod: '30 minutes',
  minUptimePeriod: 30,
  secondFactor: false,
  budgets: { requestsPerMinute: 600, requestsPerMinuteOfToken: 600, liveStreams: 20, runningJobs: 20, eventMegabytesPerDay: 100 },
};

export const installationOperations: Operations = {
  'GET /ops/installation': {
    id: 'getInstallation',
    tag: 'Accounts',
    summary: 'Read version, engine and plans of the installation',
    answer: json(installation, {
      version: '0.1.0',
      engine: 'postgres',
      roles: ['api', 'checker'],
      defaultPlan: 'basic',
      plans: [examplePlan],
    }),
  },
  'GET /ops/doctor': {
    id: 'examineInstallation',
    tag: 'Accounts',
    summary: 'Examine the instance, as `watchledger doctor` does',
    answer: json(examination, {
      examinedAt: '2023-03-23T12:53:20+00:00',
      healthy: true,
      findings: [{ name: 'database', state: 'warn', found: 'its clock is 3 s behind', advice: 'synchronise the clocks' }],
    }),
  },
};
