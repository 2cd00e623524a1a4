import { json, type Operations } from '../platform/http/description/operation.ts';
import { integer, named, orNull, record, text, type ValueOf } from '../platform/http/description/schema.ts';

const used = integer('What is used of it now');
const allowed = orNull(integer('The budget; null: no bound'));
const secondsLeft = integer('Seconds until it is counted from 0 again');

const accountUsage = named(
  'AccountUsage',
  record('What an account has used of its budgets', {
    plan: text('The plan of the account'),
    requests: record('Requests of this minute, of all tokens and instances; not counted without a bound', { used, allowed, secondsLeft }),
    eventBytes: record('Bytes of events that the account has appended within a day; not counted without a bound', {
      used,
      allowed,
      secondsLeft,
    }),
    liveStreams: record('Live streams and followed jobs on the instance that answers', { used, allowed }),
    runningJobs: record('Jobs started by hand in the projects that the account owns', { used, allowed }),
    personalTokens: record('Personal access tokens', { used, allowed }),
  }),
);
export type UsageAnswer = ValueOf<typeof accountUsage>;

const example: UsageAnswer = {
  plan: 'basic',
  requests: { used: 12, allowed: 600, secondsLeft: 48 },
  eventBytes: { used: 48_213, allowed: 104_857_600, secondsLeft: 61_200 },
  liveStreams: { used: 1, allowed: 20 },
  runningJobs: { used: 0, allowed: 20 },
  personalTokens: { used: 2, allowed: 100 },
};

export const usageOperations: Operations = {
  'GET /account/usage': {
    id: 'getUsage',
    tag: 'Account',
    summary: 'Read what your own account has used of its budgets',
    answer: json(accountUsage, example),
  },
};
