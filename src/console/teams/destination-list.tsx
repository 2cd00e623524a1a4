import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { LoadedList } from '../parts/loaded-list.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, spanOf } from '../time/instants.ts';
import { ParkedScopes } from './parked-scopes.tsx';
import { ReplayDestination } from './replay-destination.tsx';

const STATES: Readonly<Record<Schemas['Destination']['state']['status'], GlyphState>> = {
  active: 'working',
  retrying: 'warning',
  parked: 'failing',
  paused: 'unknown',
};

/** Where the events of the whole installation are pushed to. */
export function DestinationList({ mayChange }: { readonly mayChange: boolean }) {
  const loaded = useLoaded('', (signal) => service.list('/destinations', { signal }).all());
  return (
    <section class="section" aria-labelledby="destinations">
      <h2 id="destinations">Destinations of the installation</h2>
      <LoadedList what="Destinations" loaded={loaded} none="None: a program adds one with POST /destinations.">
        {(destinations) => (
          <ul class="rows-list">
            {destinations.map((destination) => (
              <Row key={destination.id} destination={destination} mayChange={mayChange} reload={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

interface RowProps {
  readonly destination: Schemas['Destination'];
  readonly mayChange: boolean;
  readonly reload: () => void;
}

function Row({ destination: { id, name, host, state }, mayChange, reload }: RowProps) {
  const path = { did: id };
  const switchTo = async (action: 'pause' | 'resume'): Promise<undefined> => {
    if (action === 'pause') await service.post('/destinations/{did}/pause', { path });
    else await service.post('/destinations/{did}/resume', { path });
    reload();
  };
  const test = async (): Promise<string> => {
    const { data } = await service.post('/destinations/{did}/test', { path });
    return `${data.delivered ? 'Delivered' : 'Not delivered'}: ${data.answer}`;
  };
  return (
    <li class="wrap">
      <Glyph state={STATES[state.status]} />
      <div class="grow">
        <p>
          <strong>{name}</strong> <span class="soft">{host}</span>
        </p>
        <p class="soft">
          {state.status} · {state.gap === 0 ? 'up to date' : `${String(state.gap)} events, ${spanOf(state.lagSeconds * 1_000)} behind`} ·{' '}
          {String(state.parked)} parked
          {state.paused !== null && ` · paused since ${fullOf(Date.parse(state.paused.since))}: ${state.paused.reason}`}
          {state.failingSince !== null && ` · failing since ${fullOf(Date.parse(state.failingSince))}`}
        </p>
        {state.failingSince !== null && state.lastAnswer !== null && <p class="problem">{state.lastAnswer}</p>}
        {state.parked > 0 && <ParkedScopes destinationId={id} name={name} count={state.parked} />}
      </div>
      {mayChange && (
        <div class="actions tight">
          <ActionButton label="Test" about={name} run={test} />
          <ReplayDestination destinationId={id} name={name} reload={reload} />
          {state.paused === null && state.parked === 0 ? (
            <ActionButton label="Pause" about={name} run={() => switchTo('pause')} />
          ) : (
            <ActionButton label="Resume" about={name} run={() => switchTo('resume')} />
          )}
        </div>
      )}
    </li>
  );
}
