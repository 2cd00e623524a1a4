import { service } from '../service/service.ts';
import { localInstants } from '../time/local-instants.ts';
import { serverNow } from '../time/server-clock.ts';

export interface FoundPlace {
  readonly kind: 'site' | 'check' | 'event';
  readonly words: string;
  readonly path: readonly string[];
}

const SHOWN = 6;
/** Events have no search by text: the newest are looked through. */
const EVENTS = 1_000;

/** Sites by title or address; of the site that is shown its checks, and its newest events by what they say. */
export async function searchEverywhere(text: string, projectId: string | null, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const [sites, checks, events] = await Promise.all([
    sitesWith(text, signal),
    projectId === null ? [] : checksWith(projectId, text, signal),
    projectId === null ? [] : eventsWith(projectId, text, signal),
  ]);
  return [...checks, ...sites, ...events];
}

async function sitesWith(search: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const query = { limit: SHOWN, sort: 'title', fields: 'id,title', search } as const;
  const { data } = await service.get('/projects', { query, signal });
  return data.projects.map(({ id, title }) => ({ kind: 'site', words: title, path: ['projects', id] }));
}

async function checksWith(id: string, search: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const { data } = await service.get('/project/{id}/tests', { path: { id }, query: { limit: SHOWN, search }, signal });
  return data.map(({ id: testId, name, url }) => ({
    kind: 'check',
    words: name === '' ? url : name,
    path: ['projects', id, 'checks', testId],
  }));
}

async function eventsWith(id: string, text: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  const query = { limit: EVENTS, fields: 'id,summary,type,recordedAt' };
  const { data } = await service.get('/project/{id}/history', { path: { id }, query, signal });
  const wanted = text.toLowerCase();
  return data.events
    .filter(({ summary, type }) => `${summary} ${type}`.toLowerCase().includes(wanted))
    .slice(0, SHOWN)
    .map(({ id: eventId, summary }) => ({
      kind: 'event',
      words: localInstants(summary, serverNow()),
      path: ['projects', id, 'events', eventId],
    }));
}
