import type { ApiClient, Json } from './api-client.ts';

/** Events that the watches, or the end of a job, append at any time. */
const WATCHED = /^(Uptime|Homepage|Certificate|Redirect|JobEnded)/;

/** The id of the latest event of a project that a request caused, as a change or a verdict. */
export async function latestEvent(api: ApiClient, projectId: string): Promise<string> {
  const { events } = (await api.get(`/project/${projectId}/history?limit=1000`)).body as { events: Json[] };
  const found = events.find(({ type }) => !WATCHED.test(type as string));
  if (found === undefined) throw new Error('no request has caused an event yet');
  return found.id as string;
}
