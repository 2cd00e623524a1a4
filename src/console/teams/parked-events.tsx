import type { Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { ActionButton } from '../parts/action-button.tsx';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, localInstants } from '../time/instants.ts';
import { serverNow } from '../time/server-clock.ts';

interface ParkedEventsProps {
  readonly name: string;
  readonly count: number;
  readonly mayChange: boolean;
  readonly reload: () => void;
}

const SHOWN = 20;

/** The dead letters of a subscription: which events a consumer refused, and why. */
export function ParkedEvents({ name, count, mayChange, reload }: ParkedEventsProps) {
  const parked = useLoaded(`${name} ${String(count)}`, async (signal) => {
    const { data } = await service.get('/subscriptions/{name}/parked', { path: { name }, query: { limit: SHOWN }, signal });
    return data.parked;
  });
  if (parked.error !== undefined) return <Failed what={`What is parked in ${name}`} error={parked.error} retry={parked.reload} />;
  const settled = (): void => {
    parked.reload();
    reload();
  };
  return (
    <>
      <ul class="parked" aria-label={`Parked in ${name}`}>
        {parked.value?.map((one) => (
          <Row key={one.position} name={name} parked={one} mayChange={mayChange} settled={settled} />
        ))}
      </ul>
      {count > SHOWN && <p class="soft">and {count - SHOWN} more</p>}
    </>
  );
}

interface RowProps {
  readonly name: string;
  readonly parked: Schemas['SubscriptionParkedEvent'];
  readonly mayChange: boolean;
  readonly settled: () => void;
}

function Row({ name, parked: { position, reason, consumer, attempts, parkedAt, event }, mayChange, settled }: RowProps) {
  const replay = async (): Promise<undefined> => {
    await service.post('/subscriptions/{name}/parked/replay', { path: { name }, body: { positions: [position] } });
    settled();
  };
  const discard = async (): Promise<undefined> => {
    await service.delete('/subscriptions/{name}/parked/{position}', { path: { name, position } });
    settled();
  };
  const projectId = /^project-([0-9a-f]{24})$/.exec(event.scope)?.[1];
  const words = localInstants(event.summary, serverNow());
  return (
    <li>
      <p>
        {projectId === undefined ? words : <Link to={['projects', projectId, 'events', event.id]}>{words}</Link>}{' '}
        <span class="problem">{reason}</span>
      </p>
      <p class="soft">
        {event.type} at position {position}, refused by {consumer} after {attempts} {attempts === 1 ? 'delivery' : 'deliveries'}, parked{' '}
        {fullOf(Date.parse(parkedAt))}
      </p>
      {mayChange && (
        <div class="actions">
          <ActionButton label="Deliver again" about={`event ${position} of ${name}`} run={replay} />
          <ActionButton label="Discard" about={`event ${position} of ${name}`} run={discard} />
        </div>
      )}
    </li>
  );
}
