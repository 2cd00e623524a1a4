import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failed } from '../parts/states.tsx';
import { errorSentence, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, utcOf } from '../time/instants.ts';
import type { ShownProjection } from './sentence.ts';

interface ParkedKeysProps {
  readonly view: ShownProjection;
  readonly mayChange: boolean;
  readonly reload: () => void;
}

/** The dead letters of a projection: which event could not be processed, why, and the two ways on. */
export function ParkedKeys({ view: { name, parked: count }, mayChange, reload }: ParkedKeysProps) {
  const parked = useLoaded(`${name} ${String(count)}`, (signal) =>
    service.list('/ops/projections/{name}/parked', { path: { name }, signal }).all(),
  );
  if (parked.error !== undefined) return <Failed what={`What is parked in ${name}`} error={parked.error} retry={parked.reload} />;
  const settled = (): void => {
    parked.reload();
    reload();
  };
  return (
    <ul class="parked" aria-label={`Parked in ${name}`}>
      {parked.value?.map((key) => (
        <li key={`${key.key} ${key.eventId}`}>
          <p>
            {key.type} at position {String(key.n)} in <span class="mono">{key.scope}</span> stopped <strong>{name}</strong>:{' '}
            <span class="problem">{key.error}</span>
          </p>
          <p class="soft">
            parked{' '}
            <time dateTime={key.parkedAt} title={utcOf(Date.parse(key.parkedAt))}>
              {fullOf(Date.parse(key.parkedAt))}
            </time>{' '}
            after {String(key.attempts)} {key.attempts === 1 ? 'attempt' : 'attempts'}
            {key.deadLetters > 0 &&
              ` · no alert is sent for ${String(key.deadLetters)} ${key.deadLetters === 1 ? 'event' : 'events'} meanwhile`}
          </p>
          {mayChange && <Ways name={name} parked={key} settled={settled} />}
        </li>
      ))}
    </ul>
  );
}

interface WaysProps {
  readonly name: string;
  readonly parked: Schemas['ParkedKey'];
  readonly settled: () => void;
}

/** The runner acts on a retry within two seconds. */
const RETRIED_MS = 2_000;

function Ways({ name, parked: { eventId, type, n }, settled }: WaysProps) {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const path = { name, eventId };
  const retry = async (): Promise<string> => {
    await service.post('/ops/projections/{name}/parked/{eventId}/retry', { path });
    await new Promise((done) => setTimeout(done, RETRIED_MS));
    settled();
    return 'It was tried again.';
  };
  const skip = async (): Promise<void> => {
    setProblem(null);
    try {
      await service.post('/ops/projections/{name}/parked/{eventId}/skip', { path, body: { reason } });
      await new Promise((done) => setTimeout(done, RETRIED_MS));
      settled();
    } catch (error) {
      setProblem(errorSentence(error));
    }
  };
  return (
    <>
      <div class="actions">
        <ActionButton label="Retry" about={`${type} at ${String(n)}`} run={retry} />
        <button aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          Skip …<span class="hidden"> {`${type} at ${String(n)}`}</span>
        </button>
      </div>
      {isAsking && (
        <form
          class="add-site"
          onSubmit={(event) => {
            event.preventDefault();
            void skip();
          }}
        >
          <label>
            Why the event is skipped; it stays in the log, and cannot be applied later
            <input name="reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} required />
          </label>
          <button>Skip it for good</button>
          {problem !== null && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
        </form>
      )}
    </>
  );
}
