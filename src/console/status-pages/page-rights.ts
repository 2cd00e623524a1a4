import { shownInstant } from '../frame/address.ts';
import { service } from '../service/service.ts';
import { type Loaded, useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';

/** Sites whose role is read in advance: for a person with more sites the form asks again for each site that is chosen. */
const MOST_LOOKED_UP = 20;

const SITES_NEEDED = 'A page shows your sites, and there is none yet.';
const ROLE_NEEDED = 'Your role makes no status pages; admins of a site do.';

/** Why the person can make no status page; null: they can. */
export const useRefusal = (): Loaded<string | null> =>
  useLoaded(String(shownInstant.value !== null), async (signal) => {
    if (shownInstant.value !== null) return 'The console shows a past instant: no status page can be made there.';
    if (session.value?.rights.create !== true) return ROLE_NEEDED;
    const query = { limit: MOST_LOOKED_UP + 1, fields: 'id,payerId' };
    const { projects } = (await service.get('/projects', { query, signal })).data;
    if (projects.length === 0) return SITES_NEEDED;
    const isOwner = projects.some(({ payerId }) => String(payerId) === session.value?.account.id);
    if (isOwner || projects.length > MOST_LOOKED_UP) return null;
    const allowed = await Promise.all(projects.map(({ id }) => mayShow(id, signal)));
    return allowed.includes(true) ? null : ROLE_NEEDED;
  });

/** Whether the person may show a site on a status page. */
export async function mayShow(projectId: string, signal: AbortSignal): Promise<boolean> {
  return (await service.get('/project/{id}', { path: { id: projectId }, signal })).data.permissions.edit;
}
