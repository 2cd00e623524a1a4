import type { ApiClient, Json } from './api-client.ts';

/** What the watches write when they look, which may be between any two requests. */
const WATCHED = /^(Uptime|Homepage|Certificate|Redirect)/;

/** The newest event of a project that somebody asked for; its id. */
export async function latestEvent(api: ApiClient, projectId: string): Promise<string> {
  const { events } = (await api.get(`/project/${projectId}/history?limit=1000`)).body as { events: Json[] };
  const found = events.find(({ type }) => !WATCHED.test(type as string));
  if (found === undefined) throw new Error('nobody asked for anything yet');
  return found.id as string;
}
