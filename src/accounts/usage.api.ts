import { json, type Operations } from '../platform/http/description/operation.ts';
import { integer, named, orNull, record, text, type ValueOf } from '../platform/http/description/schema.ts';

const used = (example: number) => integer('What is used of it now', { examples: [example] });
const allowed = (example: number) => orNull(integer('The budget; null: no bound', { examples: [example] }));
const secondsLeft = (example: number) => integer('Seconds until it is counted from 0 again', { examples: [example] });

const accountUsage = named(
  'AccountUsage',
  record('What an account has used of its budgets', {
    plan: text('The plan of the account', { examples: ['basic'] }),
    requests: record('Requests of this minute, of all tokens and instances; not counted without a bound', {
      used: used(12),
      allowed: allowed(600),
      secondsLeft: secondsLeft(48),
    }),
    eventBytes: record('Bytes of events that the account has appended within a day; not counted without a bound', {
      used: used(48_213),
      allowed: allowed(104_857_600),
      secondsLeft: secondsLeft(61_200),
    }),
    liveStreams: record('Live streams and followed jobs on the instance that answers', { used: used(1), allowed: allowed(20) }),
    runningJobs: record('Jobs started by hand in the projects that the account owns', { used: used(0), allowed: allowed(20) }),
    personalTokens: record('Personal access tokens', { used: used(2), allowed: allowed(100) }),
  }),
);
export type UsageAnswer = ValueOf<typeof accountUsage>;

export const usageOperations: Operations = {
  'GET /account/usage': {
    id: 'getUsage',
    tag: 'Account',
    summary: 'Read what your own account has used of its budgets',
    answer: json(accountUsage),
  },
};
