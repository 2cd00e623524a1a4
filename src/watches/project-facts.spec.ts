import { describe, expect, it } from '@jest/globals';
import { MemoryViews } from '../../test/support/memory-views.ts';
import { systemContext } from '../platform/commands/context.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { redirectTarget } from './redirect/redirect.decider.ts';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import { KeyParked, type Views } from '../platform/read-models/views/views.ts';
import { type AsOf, beginRequest, enterInstant } from '../platform/http/as-of/as-of.ts';
import { readProjectFacts } from './project-facts.ts';

const [FOUND, LAST] = [Date.UTC(2026, 0, 1, 12), Date.UTC(2026, 0, 1, 18)];
const url = 'http://example.com/';

const readAsOf = <T>(asOf: AsOf, read: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = beginRequest(() => {
      enterInstant(asOf);
      void read()
        .then(resolve, reject)
        .finally(() => end());
    });
  });

/** A redirect that was found at noon and last inspected at six. */
async function facts(asOf?: number, lastUrl: string | null = 'https://example.com/?session=1') {
  const store = new MemoryEventStore();
  const found = { url, finalUrl: 'https://example.com/', reason: null, location: 'eu', at: new Date(FOUND).toISOString(), before: null };
  await new CommandRunner(store).run(redirectTarget('p'), systemContext({ kind: 'checker', id: '' }, FOUND), () => [
    { type: 'RedirectVerified' as const, data: found },
  ]);
  const views = new MemoryViews(() => store.events);
  const last = { projectId: 'p', kind: 'redirect' as const, at: LAST, url, finalUrl: lastUrl };
  const read = () => readProjectFacts(views, [{ id: 'p' }], { latest: () => Promise.resolve(new Map([['p', last]])) });
  const all = await (asOf === undefined ? read() : readAsOf({ n: 0, at: asOf, views }, read));
  return all.get('p')?.redirect;
}

describe('the redirect of a project', () => {
  it('has the time of its last inspection', async () => {
    expect(await facts()).toMatchObject({ finalUrl: 'https://example.com/?session=1', checkedAt: new Date(LAST).toISOString() });
    expect(await facts(LAST)).toMatchObject({ checkedAt: new Date(LAST).toISOString() });
  });

  it.each(['http://example.com/', 'https://other.example/', 'https://example.com/shop', null])(
    'ignores an inspection that ended at %s while its event is not in the read model',
    async (lastUrl) => {
      expect(await facts(undefined, lastUrl)).toMatchObject({
        status: 'ok',
        finalUrl: 'https://example.com/',
        checkedAt: new Date(FOUND).toISOString(),
      });
    },
  );

  it('as of an instant ignores a later inspection', async () => {
    expect(await facts(LAST - 1)).toMatchObject({ finalUrl: 'https://example.com/', checkedAt: new Date(FOUND).toISOString() });
  });
});

it('leaves out only a project whose facts are parked', async () => {
  const views = new MemoryViews(() => []);
  const parking: Pick<Views, 'across'> = {
    across: (wanted, key) => (key === 'stuck' ? Promise.reject(new KeyParked('certificate', key)) : views.across(wanted, key)),
  };
  const facts = await readProjectFacts(
    parking,
    ['well', 'stuck', 'other'].map((id) => ({ id })),
    { latest: () => Promise.resolve(new Map()) },
  );
  expect([...facts.keys()]).toEqual(['well', 'other']);
});
