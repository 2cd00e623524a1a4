import { afterEach, expect, it, jest } from '@jest/globals';
import { samples } from '../../test/samples/samples.ts';
import { MemoryKeyring } from '../../test/support/memory/memory-keyring.ts';
import { MemoryViews } from '../../test/support/memory-views.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { LogSearcher } from '../platform/log/search.ts';
import { KnownNames, NamesReader } from './names-reader.ts';

const sample = samples('5f0c');
const checkId = 'c'.repeat(24);
const [CheckCreated, CheckRenamed] = [
  { ...sample.CheckCreated, checkId },
  { ...sample.CheckRenamed, checkId, to: 'Basket' },
];
const meta = {
  actor: { kind: 'checker', id: 'eu' },
  correlationId: 'c',
  causationId: null,
  commandId: 'd',
  occurredAt: '2026-03-01T10:00:00.000Z',
} as const;
const event = (n: number, type: string, data: object): LogEvent => ({
  ...{
    n,
    id: `id-${String(n)}`,
    type,
    version: 1,
    scope: 'project-p',
    stream: 's',
    revision: n,
    recordedAt: '2026-03-01T10:00:00.000Z',
    data,
    meta,
  },
});
const created = event(0, 'CheckCreated', CheckCreated);
const renamed = event(1, 'CheckRenamed', CheckRenamed);
const readerOf = (views: MemoryViews, log: readonly LogEvent[]): NamesReader => {
  const find: LogSearcher['find'] = ({ scopes, types }) =>
    Promise.resolve(log.filter(({ scope, type }) => scopes?.includes(scope) !== false && types.includes(type)));
  return new NamesReader(views, new MemoryKeyring(), { find } as LogSearcher);
};
afterEach(() => {
  jest.restoreAllMocks();
});

it('looks up the name of a check once for an answer, and anew after a second', async () => {
  const log = [created];
  const views = new MemoryViews(() => log);
  const look = jest.spyOn(views, 'many');
  const [reader, known] = [readerOf(views, log), new KnownNames()];
  const nameOf = async (): Promise<string> => (await reader.read([created], known)).check(checkId);
  expect([await nameOf(), await nameOf()]).toEqual([CheckCreated.settings.name, CheckCreated.settings.name]);
  const looks = look.mock.calls.length;
  log.push(renamed);
  expect([await nameOf(), look.mock.calls.length]).toEqual([CheckCreated.settings.name, looks]);
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 1_001);
  expect(await nameOf()).toBe('Basket');
});

it('names a check without a name by its address', async () => {
  const unnamed = event(0, 'CheckCreated', { ...CheckCreated, settings: { ...CheckCreated.settings, name: '' } });
  const names = await readerOf(new MemoryViews(() => [unnamed]), [unnamed]).read([unnamed]);
  expect(names.check(checkId)).toBe(CheckCreated.settings.url);
});

it('names a check that was deleted as it was called last', async () => {
  const deleted = event(2, 'CheckDeleted', { ...sample.CheckDeleted, checkId, name: 'Basket' });
  const log = [created, renamed, deleted];
  const reader = readerOf(new MemoryViews(() => log), log);
  expect((await reader.read([created])).check(checkId)).toBe('Basket');
  expect((await reader.read([event(3, 'CheckFailed', { checkId: 'd'.repeat(24) })])).check('d'.repeat(24))).toBe('d'.repeat(24));
});
