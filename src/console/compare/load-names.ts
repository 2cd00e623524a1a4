import { service } from '../service/service.ts';
import type { NamesByPath } from './changed-things.ts';

/** As of both instants, because what exists at one of them only has a name there. */
export async function loadNames(id: string, instants: readonly (number | null)[], signal: AbortSignal): Promise<NamesByPath> {
  const lists = await Promise.all(instants.map((at) => namesAt(id, at, signal)));
  return new Map(lists.flat());
}

async function namesAt(id: string, at: number | null, signal: AbortSignal): Promise<readonly (readonly [string, string])[]> {
  const query = at === null ? {} : { asOf: new Date(at).toISOString() };
  const options = { path: { id }, query, signal };
  const [tests, areas, users] = await Promise.all([
    service.list('/project/{id}/tests', options).all(),
    service.list('/project/{id}/areas', options).all(),
    service.list('/project/{id}/users', options).all(),
  ]);
  return [
    ...tests.map((test) => [`tests/${test.id}`, `Check ${test.name === '' ? test.url : test.name}`] as const),
    ...areas.map((area) => [`areas/${area.id}`, `Group ${area.name}`] as const),
    ...users.map((user) => [`users/${user.id}`, user.name ?? user.email ?? `account ${user.id}`] as const),
  ];
}
