import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { LoadedList } from '../parts/states.tsx';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, spanOf } from '../time/instants.ts';
import type { DestinationCalls } from './destination-calls.ts';
import { OpenedForm } from '../parts/opened-form.tsx';
import { Link } from '../frame/link.tsx';

const STATES: Readonly<Record<Schemas['Destination']['state']['status'], GlyphState>> = {
  active: 'working',
  retrying: 'warning',
  parked: 'failing',
  paused: 'unknown',
};

interface DestinationListProps {
  readonly calls: DestinationCalls;
  /** The heading, which says whether they belong to the project or the installation. */
  readonly of: string;
  readonly mayChange: boolean;
  /** What is said where there is none; null: nothing, and no heading. */
  readonly none: string | null;
}

/** The receivers that events are pushed to, how far each of them is, and what it refused. */
export function DestinationList({ calls, of, mayChange, none }: DestinationListProps) {
  const loaded = useLoaded(of, calls.list);
  if (none === null && (loaded.value?.length ?? 0) === 0) return null;
  return (
    <section class="section" aria-labelledby="destinations">
      <h2 id="destinations">{of}</h2>
      <LoadedList what="Destinations" loaded={loaded} none={none ?? ''}>
        {(destinations) => (
          <ul class="rows-list">
            {destinations.map((destination) => (
              <Row key={destination.id} calls={calls} destination={destination} mayChange={mayChange} reload={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

interface RowProps {
  readonly calls: DestinationCalls;
  readonly destination: Schemas['Destination'];
  readonly mayChange: boolean;
  readonly reload: () => void;
}

function Row({ calls, destination: { id, name, host, state }, mayChange, reload }: RowProps) {
  const switchTo = async (action: 'pause' | 'resume'): Promise<undefined> => {
    await calls[action](id);
    reload();
  };
  const test = async (): Promise<string> => {
    const { delivered, answer } = await calls.test(id);
    return `${delivered ? 'Delivered' : 'Not delivered'}: ${answer}`;
  };
  return (
    <li class="wrap">
      <Glyph state={STATES[state.status]} />
      <div class="grow">
        <p>
          <strong>{name}</strong> <span class="soft">{host}</span>
        </p>
        <p class="soft">
          {state.status} ·{' '}
          {state.gap === 0
            ? 'up to date'
            : `${String(state.gap)} ${state.gap === 1 ? 'event' : 'events'}, ${spanOf(state.lagSeconds * 1_000)} behind`}{' '}
          · {String(state.parked)} parked
          {state.paused !== null && ` · paused since ${fullOf(Date.parse(state.paused.since))}: ${state.paused.reason}`}
          {state.failingSince !== null && ` · failing since ${fullOf(Date.parse(state.failingSince))}`}
        </p>
        {state.failingSince !== null && state.lastAnswer !== null && <p class="problem">{state.lastAnswer}</p>}
        {state.parked > 0 && <ParkedScopes calls={calls} destinationId={id} name={name} count={state.parked} />}
      </div>
      {mayChange && (
        <div class="actions tight">
          <ActionButton label="Test" about={name} run={test} />
          <ReplayDestination calls={calls} destinationId={id} name={name} reload={reload} />
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

interface ReplayDestinationProps {
  readonly calls: DestinationCalls;
  readonly destinationId: string;
  readonly name: string;
  readonly reload: () => void;
}

/** Pushes events again from a position on, where a receiver has lost them. */
function ReplayDestination({ calls, destinationId, name, reload }: ReplayDestinationProps) {
  const [from, setFrom] = useState('');
  const save = async (): Promise<string> => {
    await calls.replay(destinationId, from);
    reload();
    return `Events are pushed again from ${from} on.`;
  };
  return (
    <OpenedForm label="Push again …" about={`to ${name}`} submit="Push again" opened={() => setFrom('')} save={save}>
      <label>
        Position of the first event that is pushed again
        <input
          name="replay-from"
          inputMode="numeric"
          pattern="\d{1,15}"
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
          required
        />
      </label>
      <p class="soft">The receiver gets these events a second time.</p>
    </OpenedForm>
  );
}

interface ParkedScopesProps {
  readonly calls: DestinationCalls;
  readonly destinationId: string;
  readonly name: string;
  readonly count: number;
}

/** The dead letters of a destination: projects and accounts whose events were refused for 72 hours, and wait until it is resumed. */
function ParkedScopes({ calls, destinationId, name, count }: ParkedScopesProps) {
  const parked = useLoaded(`${destinationId} ${String(count)}`, (signal) => calls.parked(destinationId, signal));
  return (
    <LoadedList what={`What is parked in ${name}`} loaded={parked} none="Nothing is parked.">
      {(scopes) => (
        <ul class="parked" aria-label={`Parked in ${name}`}>
          {scopes.map(({ scope, position, batchEnd, attempts, failingSince, parkedAt, answer }) => {
            const projectId = /^project-([0-9a-f]{24})$/.exec(scope)?.[1];
            const failedFor = Date.parse(parkedAt) - Date.parse(failingSince);
            return (
              <li key={scope}>
                <p>
                  {projectId === undefined ? scope : <Link to={['projects', projectId]}>{scope}</Link>}: the events from{' '}
                  {String(Number(position) + 1)} to {batchEnd} were refused {attempts === 1 ? 'once' : `${String(attempts)} times`} in{' '}
                  {spanOf(failedFor)}. <span class="problem">{answer}</span>
                </p>
                <p class="soft">
                  parked {fullOf(Date.parse(parkedAt))}; <em>Resume</em> pushes it again
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </LoadedList>
  );
}
