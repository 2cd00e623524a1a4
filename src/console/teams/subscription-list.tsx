import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { spanOf } from '../time/instants.ts';
import { LoadedList } from '../parts/states.tsx';
import { ParkedEvents } from './parked-events.tsx';

/** The subscriptions of the account: how far their consumers are, and what they refused. */
export function SubscriptionList({ mayChange }: { readonly mayChange: boolean }) {
  const loaded = useLoaded('', (signal) => service.list('/subscriptions', { signal }).all());
  return (
    <section class="section" aria-labelledby="subscriptions">
      <h2 id="subscriptions">Your subscriptions</h2>
      <LoadedList what="Subscriptions" loaded={loaded} none="None: a program makes one with PUT /subscriptions/{name}.">
        {(subscriptions) => (
          <ul class="rows-list">
            {subscriptions.map((subscription) => (
              <Row key={subscription.name} subscription={subscription} mayChange={mayChange} reload={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

interface RowProps {
  readonly subscription: Schemas['Subscription'];
  readonly mayChange: boolean;
  readonly reload: () => void;
}

function Row({ subscription, mayChange, reload }: RowProps) {
  const { name, gap, lag, inFlight, waiting, parked, consumers } = subscription;
  const replay = async (): Promise<string> => {
    const { data } = await service.post('/subscriptions/{name}/parked/replay', { path: { name }, body: {} });
    reload();
    return `${String(data.replayed)} delivered again.`;
  };
  const remove = async (): Promise<void> => {
    await service.delete('/subscriptions/{name}', { path: { name } });
    reload();
  };
  return (
    <li class="wrap">
      <Glyph state={parked > 0 ? 'warning' : 'working'} />
      <div class="grow">
        <p>
          <strong>{name}</strong>
        </p>
        <p class="soft">
          {gap === 0 ? 'up to date' : `${String(gap)} ${gap === 1 ? 'event' : 'events'}, ${spanOf(lag * 1_000)} behind`} ·{' '}
          {String(inFlight)} in flight · {String(waiting)} waiting · {String(parked)} parked ·{' '}
          {consumers.length === 0 ? 'no consumer' : consumers.map((consumer) => consumer.name).join(', ')}
        </p>
        {parked > 0 && <ParkedEvents name={name} count={parked} mayChange={mayChange} reload={reload} />}
      </div>
      {mayChange && (
        <div class="actions tight">
          {parked > 0 && <ActionButton label="Replay what is parked" about={`in ${name}`} run={replay} />}
          <DeleteButton
            what={`the subscription “${name}”`}
            consequence="Its position and what is parked in it are lost; its consumers are refused."
            run={remove}
          />
        </div>
      )}
    </li>
  );
}
