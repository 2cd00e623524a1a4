import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, spanOf } from '../time/instants.ts';
import { consumerProblem, type ShownConsumer } from './sentence.ts';

/** A consumer that is not busy acts on a request at once. */
const EFFECTIVE_MS = 500;

interface ConsumerListProps {
  readonly consumers: readonly ShownConsumer[];
  /** An administrator, in the present. */
  readonly mayChange: boolean;
  readonly reload: () => void;
}

/** What acts on events: how far each consumer has come, and what waits behind an event that failed. */
export function ConsumerList({ consumers, mayChange, reload }: ConsumerListProps) {
  return (
    <section class="section" aria-labelledby="consumers">
      <h2 id="consumers">Consumers</h2>
      {consumers.length === 0 && <p class="soft">None has run yet: they run in an instance with the role reactor.</p>}
      <ul class="rows-list">
        {consumers.map((consumer) => (
          <Row key={consumer.name} consumer={consumer} mayChange={mayChange} reload={reload} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends Pick<ConsumerListProps, 'mayChange' | 'reload'> {
  readonly consumer: ShownConsumer;
}

function Row({ consumer, mayChange, reload }: RowProps) {
  const { name, about, package: from, state, position, gap, lag, parked, error } = consumer;
  const requested = async (action: 'pause' | 'resume'): Promise<undefined> => {
    await service.post(`/ops/consumers/{name}/${action}`, { path: { name } });
    reload();
  };
  const remove = async (): Promise<void> => {
    await service.delete('/ops/consumers/{name}', { path: { name } });
    reload();
  };
  const behind = gap === 0 ? 'up to date' : `${gap.toLocaleString('en')} ${gap === 1 ? 'event' : 'events'}, ${spanOf(lag * 1_000)} behind`;
  return (
    <li class="wrap">
      <Glyph state={glyphOf(consumer)} />
      <div class="grow">
        <p>
          <strong>{name}</strong> <span class="soft">{state}</span>
        </p>
        <p class="soft">{[about, `position ${position.toLocaleString('en')}`, behind, `${String(parked)} parked`].join(' · ')}</p>
        {error !== undefined && <p class="problem">{error}</p>}
        {parked > 0 && <ParkedPartitions consumer={consumer} mayChange={mayChange} reload={reload} />}
      </div>
      {mayChange && (
        <div class="actions tight">
          {state === 'stopped' && from !== null && (
            <DeleteButton
              what={`the reactor “${name}”`}
              consequence="Its position and what is parked in it are lost; if its package comes back, it begins anew."
              run={remove}
            />
          )}
          {state === 'paused' && <ActionButton label="Resume" about={name} run={() => requested('resume')} />}
          {(state === 'live' || state === 'failed') && <ActionButton label="Pause" about={name} run={() => requested('pause')} />}
        </div>
      )}
    </li>
  );
}

function ParkedPartitions({ consumer: { name, parked: count }, mayChange, reload }: RowProps) {
  const parked = useLoaded(`${name} ${String(count)}`, (signal) =>
    service.list('/ops/consumers/{name}/parked', { path: { name }, signal }).all(),
  );
  if (parked.error !== undefined) return <Failed what={`What is parked in ${name}`} error={parked.error} retry={parked.reload} />;
  return (
    <ul class="parked" aria-label={`Parked in ${name}`}>
      {parked.value?.map((partition) => (
        <ParkedRow
          key={partition.scope}
          name={name}
          partition={partition}
          mayChange={mayChange}
          settled={() => {
            parked.reload();
            reload();
          }}
        />
      ))}
    </ul>
  );
}

interface ParkedRowProps {
  readonly name: string;
  readonly partition: Schemas['ParkedPartition'];
  readonly mayChange: boolean;
  readonly settled: () => void;
}

function ParkedRow({ name, partition: { scope, eventId, type, n, error, attempts, retryAt }, mayChange, settled }: ParkedRowProps) {
  const requested = async (action: 'retry' | 'skip'): Promise<undefined> => {
    await service.post(`/ops/consumers/{name}/parked/{eventId}/${action}`, { path: { name, eventId } });
    await new Promise((done) => setTimeout(done, EFFECTIVE_MS));
    settled();
  };
  return (
    <li>
      <p>
        {type} at position {String(n)} in <span class="mono">{scope}</span>: <span class="problem">{error}</span>
      </p>
      <p class="soft">
        {String(attempts)} {attempts === 1 ? 'attempt' : 'attempts'},{' '}
        {retryAt === null ? 'waits for a retry or skip' : `tried again at ${fullOf(Date.parse(retryAt))}`}
      </p>
      {mayChange && (
        <div class="actions">
          <ActionButton label="Retry" about={`${type} at ${String(n)}`} run={() => requested('retry')} />
          <ActionButton label="Skip" about={`${type} at ${String(n)}`} run={() => requested('skip')} />
        </div>
      )}
    </li>
  );
}

function glyphOf(consumer: ShownConsumer): GlyphState {
  if (consumer.state === 'failed') return 'failing';
  return consumerProblem(consumer) === null ? 'working' : 'warning';
}
