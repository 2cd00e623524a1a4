import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { typesOf } from './event-kinds.ts';
import { EventRow } from './event-row.tsx';
import { serverNow } from '../time/server-clock.ts';

const SHOWN = 8;

/** The last events of a project up to the instant that is shown. */
export function LatestEvents({ id, round }: { readonly id: string; readonly round: number }) {
  const at = shownInstant.value;
  const { value, error, reload } = useLoaded(
    `${id} ${String(at)}`,
    async (signal) => {
      const query = { limit: SHOWN, type: [...(typesOf.main ?? [])], ...(at !== null && { to: new Date(at).toISOString() }) };
      const { data } = await service.get('/project/{id}/history', { path: { id }, query, signal });
      return data.events;
    },
    round,
  );
  return (
    <section class="section" aria-labelledby="latest">
      <h2 id="latest">What happened last</h2>
      {value === undefined ? (
        error !== undefined && <Failed what="The history" error={error} retry={reload} />
      ) : (
        <ul class="rows-list events">
          {value.map((event) => (
            <EventRow key={event.id} event={event} projectId={id} seenAt={at ?? serverNow()} />
          ))}
        </ul>
      )}
      <p class="soft whole-history">
        <Link to={['projects', id, 'timeline']}>The whole history</Link>
      </p>
    </section>
  );
}
