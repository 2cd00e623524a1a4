import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, spanOf } from '../time/instants.ts';

type ShownReactor = Schemas['Reactor'];

/** A reactor that is not busy acts on a request at once. */
const EFFECTIVE_MS = 500;

interface ReactorListProps {
  /** An administrator, in the present. */
  readonly mayChange: boolean;
}

/** What the reactors of teams have done so far, and what waits behind an event that failed. */
export function ReactorList({ mayChange }: ReactorListProps) {
  const { value, error, reload } = useLoaded('', (signal) => service.list('/ops/reactors', { signal }).all());
  if (error !== undefined) return <Failed what="The reactors" error={error} retry={reload} />;
  if (value === undefined || value.length === 0) return null;
  const wrong = value.filter((reactor) => glyphOf(reactor) !== 'working').length;
  return (
    <section class="section" aria-labelledby="reactors">
      <h2 id="reactors">
        Reactors{' '}
        <span class="chart-legend">
          {wrong === 0 ? 'all is well' : `${String(wrong)} of ${String(value.length)} ${wrong === 1 ? 'needs' : 'need'} attention`}
        </span>
      </h2>
      <ul class="rows-list">
        {value.map((reactor) => (
          <Row key={reactor.name} reactor={reactor} mayChange={mayChange} reload={reload} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends ReactorListProps {
  readonly reactor: ShownReactor;
  readonly reload: () => void;
}

function Row({ reactor, mayChange, reload }: RowProps) {
  const { name, state, position, gap, lag, parked, error } = reactor;
  const requested = async (action: 'pause' | 'resume'): Promise<undefined> => {
    await service.post(`/ops/reactors/{name}/${action}`, { path: { name } });
    reload();
  };
  const remove = async (): Promise<void> => {
    await service.delete('/ops/reactors/{name}', { path: { name } });
    reload();
  };
  const behind = gap === 0 ? 'up to date' : `${String(gap)} ${gap === 1 ? 'event' : 'events'}, ${spanOf(lag * 1_000)} behind`;
  return (
    <li class="wrap">
      <Glyph state={glyphOf(reactor)} />
      <div class="grow">
        <p>
          <strong>{name}</strong> <span class="soft">{state}</span>
        </p>
        <p class="soft">{[`position ${String(position)}`, behind, `${String(parked)} parked`].join(' · ')}</p>
        {error !== undefined && <p class="problem">{error}</p>}
        {parked > 0 && <ParkedReactions reactor={reactor} mayChange={mayChange} reload={reload} />}
      </div>
      {mayChange && (
        <div class="actions tight">
          {state === 'stopped' && (
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

function ParkedReactions({ reactor: { name, parked: count }, mayChange, reload }: RowProps) {
  const parked = useLoaded(`${name} ${String(count)}`, (signal) =>
    service.list('/ops/reactors/{name}/parked', { path: { name }, signal }).all(),
  );
  const requested = async (action: 'retry' | 'skip', eventId: string): Promise<undefined> => {
    await service.post(`/ops/reactors/{name}/parked/{eventId}/${action}`, { path: { name, eventId } });
    await new Promise((done) => setTimeout(done, EFFECTIVE_MS));
    parked.reload();
    reload();
  };
  return (
    <ul class="parked" aria-label={`Parked in ${name}`}>
      {parked.value?.map(({ scope, eventId, type, n, error, attempts, retryAt }) => (
        <li key={scope}>
          <p>
            {type} at position {String(n)} in <span class="mono">{scope}</span>: <span class="problem">{error}</span>
          </p>
          <p class="soft">
            {String(attempts)} {attempts === 1 ? 'attempt' : 'attempts'},{' '}
            {retryAt === null ? 'waits for a retry or skip' : `tried again at ${fullOf(Date.parse(retryAt))}`}
          </p>
          {mayChange && (
            <div class="actions">
              <ActionButton label="Retry" about={`${type} at ${String(n)}`} run={() => requested('retry', eventId)} />
              <ActionButton label="Skip" about={`${type} at ${String(n)}`} run={() => requested('skip', eventId)} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function glyphOf({ state, parked }: ShownReactor): GlyphState {
  if (state === 'failed') return 'failing';
  return parked > 0 || state === 'paused' || state === 'stopped' ? 'warning' : 'working';
}
