import { useEffect, useState } from 'preact/hooks';
import { showInstant, shownInstant } from '../frame/address.ts';
import { rememberTitle, useTitle } from '../frame/titles.ts';
import { PageState } from '../parts/states.tsx';
import { errorSentence, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, utcOf, localInstants } from '../time/instants.ts';
import { hasEvidence } from '../timeline/event-kinds.ts';
import type { HistoryEvent } from '../timeline/event-row.tsx';
import { shownInstantOf } from '../time/neighbour.ts';
import { Chain } from './chain.tsx';
import { Evidence } from './evidence.tsx';
import { serverNow } from '../time/server-clock.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { EventProofSteps } from './proof-steps.ts';

const MOST_CHAINED = 200;

/** One event: what it says, its evidence, what led to it and what followed, its data, and the proof that it stands in the log. */
export function EventPage({ id, eventId }: { readonly id: string; readonly eventId: string }) {
  const { value, error, reload } = useLoaded(`${id} ${eventId}`, async (signal) => {
    const [chain, project] = await Promise.all([
      service.get('/project/{id}/history/{eventId}/chain', { path: { id, eventId }, signal }),
      service.get('/project/{id}', { path: { id }, signal }),
    ]);
    return { events: chain.data.events, title: project.data.title };
  });
  useEffect(() => {
    if (value !== undefined) rememberTitle(id, value.title);
  }, [value]);
  const event = value?.events.find((other) => other.id === eventId);
  useTitle(event && `${hasEvidence(event.type) ? 'Evidence' : 'Event'}: ${localInstants(event.summary, serverNow())}`);
  if (value === undefined) return <PageState what="The event" error={error} retry={reload} />;
  if (event === undefined) return <PageState what="The event" error={new Error('not in its chain')} />;
  const at = Date.parse(event.recordedAt);
  const isShown = shownInstant.value === shownInstantOf({ at: event.recordedAt });
  return (
    <main class="page">
      <h1>{localInstants(event.summary, serverNow())}</h1>
      <p class="soft">
        {whoOf(event)}, recorded{' '}
        <time dateTime={event.recordedAt} title={utcOf(at)}>
          {fullOf(at)}
        </time>
        .{' '}
        {!isShown && (
          <button class="quiet inline" onClick={() => showInstant(shownInstantOf({ at: event.recordedAt }))}>
            Show the console as of this event
          </button>
        )}
      </p>
      {shownInstant.value !== null && shownInstant.value < at && !isShown && (
        <p class="warn" role="note">
          It was recorded after the instant that the console shows: nothing of it was known then.
        </p>
      )}
      {hasEvidence(event.type) && <Evidence projectId={id} eventId={eventId} />}
      <section class="section" aria-labelledby="chain">
        <h2 id="chain">From cause to effect</h2>
        <Chain events={value.events.slice(0, MOST_CHAINED)} current={eventId} projectId={id} />
      </section>
      <EventProof projectId={id} eventId={eventId} />
      <section class="section" aria-labelledby="data">
        <h2 id="data">Data</h2>
        <dl class="facts">
          <dt>Event</dt>
          <dd>
            {event.type}, version {event.version}, position {event.position}
          </dd>
          <dt>Stream</dt>
          <dd class="mono">
            {event.stream}, revision {event.revision}
          </dd>
        </dl>
        <pre class="data" tabIndex={0} aria-label="Data of the event">
          {JSON.stringify(event.data, null, 2)}
        </pre>
      </section>
    </main>
  );
}

const KINDS: Readonly<Record<HistoryEvent['actor']['kind'], string>> = {
  user: 'By',
  token: 'By a token of',
  service: 'By the service account',
  checker: 'By the checker',
  scheduler: 'By the timetable',
  reactor: 'By a process of the service',
  cli: 'By an operator',
};

function whoOf({ actor }: HistoryEvent): string {
  const isNamed = actor.kind === 'user' || actor.kind === 'token' || actor.kind === 'service';
  return isNamed ? `${KINDS[actor.kind]} ${actor.name ?? `account ${actor.id}`}` : KINDS[actor.kind];
}

type State =
  | { readonly kind: 'idle' | 'checking' }
  | { readonly kind: 'proven'; readonly proven: EventProofSteps }
  | { readonly kind: 'refused'; readonly reason: string };

/** Verifies the seal of an event by the browser's own computation, and shows the steps. */
function EventProof({ projectId, eventId }: { readonly projectId: string; readonly eventId: string }) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const verify = async (): Promise<void> => {
    setState({ kind: 'checking' });
    try {
      const { proveEvent } = await import('./proof-steps.ts');
      setState({ kind: 'proven', proven: await proveEvent(projectId, eventId) });
    } catch (error) {
      setState({ kind: 'refused', reason: error instanceof Error && error.name === 'NotVerified' ? error.message : errorSentence(error) });
    }
  };
  return (
    <section class="section" aria-labelledby="proof">
      <h2 id="proof">Proof</h2>
      {state.kind === 'proven' ? (
        <>
          <p>
            <Glyph state="working" /> Verified in this browser: the event is in the sealed log, in this form.
          </p>
          <ol class="soft">
            {state.proven.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <pre class="data" tabIndex={0} aria-label="Checkpoint">
            {state.proven.checkpoint}
          </pre>
          <p class="soft">
            A key that the service itself named proves that nothing contradicts it; compare it with one that you have from elsewhere.
          </p>
        </>
      ) : (
        <p>
          <button onClick={() => state.kind === 'checking' || void verify()} aria-disabled={state.kind === 'checking'}>
            Verify in this browser
          </button>{' '}
          {state.kind === 'refused' && (
            <span class="problem" role="alert">
              {state.reason}
            </span>
          )}
        </p>
      )}
    </section>
  );
}
