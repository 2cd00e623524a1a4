import { publicArea } from '../../src/projects/areas/area.settings.ts';
import type { Events, EventType } from '../../src/events.ts';
import { projectStream, verdictStream } from '../../src/kernel/stream-names.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import { samples } from '../../test/samples/samples.ts';
import { projectCreated } from '../support/projects.ts';

/** Every project belongs to this account. */
export const OWNER = 1;
/** A member of five projects in every database. */
export const MEMBER_OF_FEW = 7;
/** Wrote a handful of events at the beginning of the log. */
export const RARE_ACTOR = '4242';
/** Checks of the additional projects. */
export const CHECK_COUNTS = [1, 100, 2_000] as const;

const RARE_PROJECTS = 5;
/** One project in so many fails. At least five do in the smallest database, in all others more, so that a page of five is full. */
const FAILING_EVERY = 2;

export interface FlatEvent {
  readonly id: string;
  readonly stream: string;
  readonly type: EventType;
  readonly scope: string;
  readonly data: object;
  readonly meta: object;
}

/** Ids are scattered as those of the service are. */
export const flatProjectId = (index: number): string => derivedId('flat', index).replaceAll('-', '').slice(0, 24);
export const projectOfChecks = (checks: number): string => flatProjectId(-checks);
export const flatCheckId = (projectId: string, check: number): string => `${projectId.slice(0, 16)}${check.toString(16).padStart(8, '0')}`;

/** Each project is created with a group and a check that has a verdict: what the service writes for it. */
export function* eventsOf(projects: number, checkCounts: readonly number[]): Generator<FlatEvent> {
  for (let index = 0; index < projects; index++) yield* eventsOfProject(index, 1);
  for (const checks of checkCounts) yield* eventsOfProject(-checks, checks);
}

function* eventsOfProject(index: number, checks: number): Generator<FlatEvent> {
  const projectId = flatProjectId(index);
  const isRare = index >= 0 && index < RARE_PROJECTS;
  const stream = projectStream(projectId);
  const event = <Type extends EventType>(type: Type, data: Events[Type], of: string = stream, actor = String(OWNER)): FlatEvent => {
    const id = derivedId('flat', type, of, JSON.stringify(data));
    const meta = { actor: { kind: 'user', id: actor }, correlationId: id, causationId: null, commandId: id, occurredAt: AT };
    return { id, stream: of, type, scope: stream, data, meta };
  };
  const created = projectCreated(projectId, `https://site-${String(index)}.example`, '60').data as Events['ProjectCreated'];
  yield event('ProjectCreated', { ...created, payerId: OWNER, settings: { ...created.settings, title: `Shop ${String(index)}` } });
  if (isRare) yield event('ProjectRenamed', { from: created.settings.title, to: `Rare ${String(index)}` }, stream, RARE_ACTOR);
  if (isRare) yield event('MemberAdded', { userId: MEMBER_OF_FEW, role: '6' });
  const areaId = flatCheckId(projectId, 0xffff);
  yield event('AreaCreated', { areaId, settings: publicArea });
  for (let check = 0; check < checks; check++) {
    const checkId = flatCheckId(projectId, check);
    yield event('CheckCreated', { checkId, areaId, settings: { ...SAMPLES.CheckCreated.settings, name: `Check ${String(check)}` } });
    const verdict = index % FAILING_EVERY === 1 && check === 0 ? 'CheckFailed' : 'CheckPassed';
    yield event(verdict, { ...SAMPLES[verdict], checkId }, verdictStream(checkId));
  }
}

const AT = '2026-11-01T12:00:00.000Z';
const SAMPLES = samples('flat');
