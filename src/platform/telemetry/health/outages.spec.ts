import { expect, it, jest } from '@jest/globals';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import { Metrics } from '../metrics/metrics.ts';
import { Outages } from './outages.ts';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

it.each([
  ['disk_full', failure('53100', 'could not extend file "base/5/2619": No space left on device')],
  ['read_only', failure('25006', 'cannot execute INSERT in a read-only transaction')],
  ['too_many_connections', failure('53300', 'too many connections for role "watchledger"')],
  ['unreachable', failure('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432')],
  ['silent', new Error('Query read timeout')],
  ['other', failure('XX000', 'unexpected')],
])('states the cause %s in the log, once a minute, and counts each occurrence', async (cause, root) => {
  let now = 0;
  const error = jest.fn();
  const metrics = new Metrics();
  const outages = new Outages(metrics, { error } as never, { now: () => now });
  const refused = new StoreUnavailable('the event store is not reachable; try again', { cause: new Error('append to s', { cause: root }) });
  for (let times = 0; times < 3; times++) outages.report(refused);
  expect(error.mock.calls).toEqual([[{ cause, reason: root.message, sinceLastEntry: 1 }, 'storage refuses work']]);
  now = 60_000;
  outages.report(refused);
  expect(error).toHaveBeenLastCalledWith({ cause, reason: root.message, sinceLastEntry: 3 }, 'storage refuses work');
  const { values } = await metrics.registry.getSingleMetric('watchledger_storage_failures_total')!.get();
  expect(values).toMatchObject([{ labels: { cause }, value: 4 }]);
});
