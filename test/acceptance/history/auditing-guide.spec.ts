import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { sharedService } from '../../support/shared-service.ts';

let people: TestAccounts;
let owner: TestAccount;
let requests: readonly string[];
let changes: readonly { readonly method: string; readonly path: string; readonly body: string }[];
let named: Readonly<Record<string, string>>;

beforeAll(async () => {
  people = new TestAccounts(await sharedService());
  owner = await people.register('owner');
  const { api } = owner;
  const projectId = await people.project(owner);
  const checkId = (await api.post(`/project/${projectId}/tests`, { url: '/', name: 'Homepage' })).body.id as string;
  await api.put(`/test/${checkId}`, { enabled: false });
  const [event] = (await api.get(`/project/${projectId}/history?type=CheckSwitched`)).body.events as { id: string; position: string }[];
  named = {
    PROJECT: projectId,
    CHECK: checkId,
    EVENT: event?.id ?? '',
    POSITION: event?.position ?? '',
    '((POSITION - 1))': String(Number(event?.position) - 1),
  };
  const guide = await readFile(resolve(import.meta.dirname, '../../../docs/auditing.md'), 'utf8');
  requests = [...guide.matchAll(/^get "([^"]+)"/gm)].map(([, path = '']) => path);
  changes = [...guide.matchAll(/^curl (?:.* -X (\w+))?.*"\$BASE\/([^"]+)" \\\n\s+-d '([^']+)'/gm)].map(
    ([, method = 'POST', path = '', body = '']) => ({ method, path, body }),
  );
});
afterAll(() => people.deleteProjects());

/** Replaces the guide's dates in March with today. */
const today = (path: string): string =>
  path
    .replace(/\$(\(\(POSITION - 1\)\)|[A-Z]+)/g, (_, name: string) => named[name] ?? `unknown variable ${name}`)
    .replace(/asOf=2026[^&]*/, `asOf=${named['POSITION'] ?? ''}`)
    .replace(/((?:from|start)=)2026[^&]*/, (_, name: string) => `${name}${new Date(Date.now() - 3_600_000).toISOString()}`)
    .replace(/((?:to|end)=)2026[^&]*/, (_, name: string) => `${name}${new Date().toISOString()}`);

describe('docs/auditing.md', () => {
  it('names only existing operations, and each request succeeds', async () => {
    expect(requests.length).toBeGreaterThan(8);
    // Proofs and exports are tested in ledger.spec.ts, evidence in what-if.spec.ts.
    for (const path of requests.filter((request) => !/proof|export|evidence/.test(request))) {
      const { status } = await owner.api.get(`/${today(path)}`);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('contains request bodies that the API accepts', async () => {
    expect(changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST test/$CHECK/what-if',
      'POST test/$CHECK/corrections',
      'PUT project/$PROJECT/objective',
    ]);
    const span = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() };
    for (const { method, path, body } of changes) {
      const given = JSON.parse(body) as object;
      const { status } = await owner.api.send(method, `/${today(path)}`, method === 'POST' ? { ...given, ...span } : given);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('finds who disabled a check and its state before', async () => {
    const find = (part: string): string => `/${today(requests.find((request) => request.includes(part)) ?? '')}`;
    const { body: compared } = await owner.api.get(
      `/project/${named['PROJECT'] ?? ''}/compare?from=${String(Number(named['POSITION']) - 1)}`,
    );
    expect(compared.changes).toContainEqual({
      path: `tests/${named['CHECK'] ?? ''}.enabled`,
      from: true,
      to: false,
      events: [named['EVENT']],
    });
    const { body: history } = await owner.api.get(find('type=CheckSwitched'));
    expect(history.events[0]).toMatchObject({ id: named['EVENT'], actor: { kind: 'user', name: 'owner' } });
    expect((await owner.api.get(find('POSITION - 1'))).body.enabled).toBe(true);
    expect((await owner.api.get(find('asOf=$POSITION'))).body.enabled).toBe(false);
  });
});
