import { useEffect } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { service } from '../service/service.ts';
import { spanOf } from '../time/instants.ts';
import { ParkedKeys } from './parked-keys.tsx';
import { type ShownProjection, projectionProblem } from './sentence.ts';

const REBUILD_MS = 1_000;
/** The runner of a projection acts on a request within two seconds. */
const EFFECTIVE_MS = 2_000;
const WORDS = { live: 'live', building: 'being rebuilt', paused: 'paused', failed: 'failed', stopped: 'stopped' } as const;

interface ProjectionListProps {
  readonly projections: readonly ShownProjection[];
  /** An administrator, in the present. */
  readonly mayChange: boolean;
  readonly reload: () => void;
}

/** The core views as one row, because they are one unit, then each projection of a team. */
export function ProjectionList({ projections, mayChange, reload }: ProjectionListProps) {
  const isBuilding = projections.some(({ state }) => state === 'building');
  // Only a rebuild is followed: each read by a system role is recorded in the log.
  useEffect(() => {
    if (!isBuilding) return undefined;
    const timer = setInterval(reload, REBUILD_MS);
    return () => clearInterval(timer);
  }, [isBuilding]);
  const core = projections.filter(({ core: isCore }) => isCore);
  const rest = projections.filter(({ core: isCore }) => !isCore);
  const [first] = core;
  const shared = { mayChange, reload };
  return (
    <section class="section" aria-labelledby="projections">
      <h2 id="projections">Projections</h2>
      <ul class="rows-list">
        {first !== undefined && <Row {...shared} title={`Core views (${String(core.length)})`} projection={first} views={core} />}
        {rest.map((projection) => (
          <Row key={projection.name} {...shared} title={projection.name} projection={projection} views={[projection]} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends Pick<ProjectionListProps, 'mayChange' | 'reload'> {
  readonly title: string;
  readonly projection: ShownProjection;
  /** The views whose keys may be parked. */
  readonly views: readonly ShownProjection[];
}

function Row({ title, projection, views, mayChange, reload }: RowProps) {
  const { name, state, core, error, process: ended } = projection;
  const requested = async (action: 'pause' | 'resume' | 'rebuild'): Promise<undefined> => {
    await service.post(`/ops/projections/{name}/${action}`, { path: { name } });
    await new Promise((done) => setTimeout(done, EFFECTIVE_MS));
    reload();
  };
  const remove = async (): Promise<void> => {
    await service.delete('/ops/projections/{name}', { path: { name } });
    reload();
  };
  return (
    <li class="wrap">
      <Glyph state={glyphOf(views)} />
      <div class="grow">
        <p>
          <strong>{title}</strong> <span class="soft">{WORDS[state]}</span>
        </p>
        <p class="soft">{figuresOf(projection, views)}</p>
        {error !== undefined && <p class="problem">{error}</p>}
        {error === undefined && ended !== undefined && (
          <p class="soft">
            Its process ended {ended.ends === 1 ? 'once' : `${String(ended.ends)} times`}: {ended.reason}
          </p>
        )}
        <Progress projection={projection} />
        {views
          .filter(({ parked }) => parked > 0)
          .map((view) => (
            <ParkedKeys key={view.name} view={view} mayChange={mayChange} reload={reload} />
          ))}
      </div>
      {mayChange && state === 'stopped' && (
        <div class="actions tight">
          <DeleteButton
            what={`the projection “${name}”`}
            consequence="Its tables are dropped; if its package comes back, they are filled anew."
            run={remove}
          />
        </div>
      )}
      {mayChange && state !== 'stopped' && (
        <div class="actions tight">
          {!core && state !== 'paused' && <ActionButton label="Pause" about={title} run={() => requested('pause')} />}
          {state === 'paused' && <ActionButton label="Resume" about={title} run={() => requested('resume')} />}
          {state !== 'building' && <ActionButton label="Rebuild" about={title} run={() => requested('rebuild')} />}
        </div>
      )}
    </li>
  );
}

function Progress({ projection: { name, state, done, total, etaSeconds } }: { readonly projection: ShownProjection }) {
  if (state !== 'building' || done === undefined || total === undefined) return null;
  return (
    <p>
      <progress aria-label={`Rebuild of ${name}`} max={total} value={done} />{' '}
      <span class="soft">
        {done.toLocaleString('en')} of {total.toLocaleString('en')} events
        {etaSeconds === undefined ? '' : `, ${spanOf(etaSeconds * 1_000)} left`}
      </span>
    </p>
  );
}

function figuresOf({ version, core, position, gap, lag, rate }: ShownProjection, views: readonly ShownProjection[]): string {
  const parked = views.reduce((sum, view) => sum + view.parked, 0);
  const behind = gap === 0 ? 'up to date' : `${gap.toLocaleString('en')} ${gap === 1 ? 'event' : 'events'}, ${spanOf(lag * 1_000)} behind`;
  return [
    ...(core ? [] : [`version ${version}`]),
    `position ${position.toLocaleString('en')}`,
    behind,
    `${String(rate)} events/s`,
    `${String(parked)} parked`,
  ].join(' · ');
}

function glyphOf(views: readonly ShownProjection[]): GlyphState {
  if (views.some(({ state }) => state === 'failed')) return 'failing';
  if (views.some((view) => projectionProblem(view) !== null)) return 'warning';
  return views.some(({ state }) => state === 'building') ? 'unknown' : 'working';
}
