import type { CauseAndEffects } from './chains.ts';
import { EventRow, type HistoryEvent } from './event-row.tsx';

/** The cause of a chain, and below it what followed. */
export function ChainRow({
  chain: { cause, effects },
  projectId,
}: {
  readonly chain: CauseAndEffects<HistoryEvent>;
  readonly projectId: string;
}) {
  if (effects.length === 0) return <EventRow event={cause} projectId={projectId} />;
  return (
    <>
      <EventRow event={cause} projectId={projectId} />
      <li class="effects">
        <details>
          <summary>
            {effects.length} {effects.length === 1 ? 'event' : 'events'} followed
          </summary>
          <ul class="rows-list events">
            {effects.map((event) => (
              <EventRow key={event.id} event={event} projectId={projectId} />
            ))}
          </ul>
        </details>
      </li>
    </>
  );
}
