import type { ApiClient, Json } from './api-client.ts';

/** The id of the latest event of a project that a person caused; the checker and the reactors append theirs at any time. */
export async function latestEvent(api: ApiClient, projectId: string): Promise<string> {
  const { events } = (await api.get(`/project/${projectId}/history?limit=1000`)).body as { events: Json[] };
  const found = events.find(({ actor }) => (actor as { readonly kind: string }).kind === 'user');
  if (found === undefined) throw new Error('no person has caused an event yet');
  return found.id as string;
}
