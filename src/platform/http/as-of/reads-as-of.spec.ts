import { expect, it } from '@jest/globals';
import { MemoryKeyring } from '../../../../test/support/memory/memory-keyring.ts';
import { MemoryRuns } from '../../../../test/support/memory/memory-runs.ts';
import { samples } from '../../../../test/samples/samples.ts';
import { logOf } from '../../../../test/support/sealed-log.ts';
import type { Events, EventType } from '../../../events.ts';
import { projectStream } from '../../../kernel/stream-names.ts';
import { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { LogQuery } from '../../log/log.ts';
import { VoidedEvents } from '../../read-models/engine/voided-events.ts';
import { coreViews } from '../../../app/projection-table.ts';
import { projectView } from '../../../projects/project.view.ts';
import { FoldedViews } from '../../read-models/views/folded-views.ts';
import { viewUnit } from '../../read-models/views/unit.ts';
import type { ViewsAt } from '../../read-models/views/views.ts';
import { AreaFactsReader } from '../../../checker/status/area-facts.ts';
import { AreaReading } from '../../../projects/areas/area-reading.ts';
import type { FormHtml } from '../../../projects/areas/form-html.ts';
import { CheckFactsReader } from '../../../checker/status/check-facts.ts';
import { CheckReading } from '../../../projects/checks/check-reading.ts';
import { SavedHeaders } from '../../../projects/checks/saved-headers.ts';
import { operationTable } from '../../../app/operation-table.ts';
import type { ListRequest } from '../lists/list.ts';
import { readListRequest } from '../lists/list-request.ts';
import { projectWithFacts } from '../../../watches/project-facts.ts';
import { StatusReading } from '../../../checker/status/status-reading.ts';

const PROJECT = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const scope = projectStream(PROJECT);
const sample = samples(PROJECT);

/** A project with two groups and thirty checks of which one fails. */
function history(): LogEvent[] {
  const events: LogEvent[] = [];
  const add = <Type extends EventType>(type: Type, data: Events[Type]): void => {
    const [n, at] = [events.length, '2026-03-01T10:00:00.000Z'];
    const meta = { actor: { kind: 'user', id: '7' }, correlationId: 'c', causationId: null, commandId: 'c', occurredAt: at } as const;
    events.push({ ...{ n, id: `e${String(n)}`, stream: scope, revision: n, type, version: 1, scope, recordedAt: at }, data, meta });
  };
  add('ProjectCreated', sample.ProjectCreated);
  for (const areaId of ['one', 'other']) add('AreaCreated', { ...sample.AreaCreated, areaId });
  for (let check = 0; check < 30; check++) {
    const checkId = `check-${String(check)}`;
    add('CheckCreated', { ...sample.CheckCreated, checkId, areaId: check % 2 === 0 ? 'one' : 'other' });
    if (check === 7) add('CheckFailed', { ...sample.CheckFailed, checkId });
    else add('CheckPassed', { ...sample.CheckPassed, checkId });
  }
  return events;
}

interface World {
  readonly views: FoldedViews;
  readonly areas: AreaReading;
  readonly checks: CheckReading;
  readonly status: StatusReading;
}

/** The readings as of the last event, and how often they read the events of the project. */
function world(): World & { readonly reads: readonly LogQuery[] } {
  const [events, reads] = [history(), [] as LogQuery[]];
  const log = {
    read: (query: LogQuery) => {
      if (query.scope === scope) reads.push(query);
      return logOf(events).read(query);
    },
  };
  const unit = viewUnit('core', coreViews);
  const scopesOf = (_: unknown, keys: readonly string[]) => Promise.resolve(new Map(keys.map((key) => [key, scope])));
  const source = { unit, log, voided: new VoidedEvents(log, unit), limit: new ConcurrencyLimit(2), scopesOf };
  const views = new FoldedViews(source, events.length - 1);
  const at: ViewsAt = { now: () => views, asOf: () => views, snapshot: (work) => work(views) };
  const [runs, headers] = [new MemoryRuns(() => true), new SavedHeaders(new MemoryKeyring())];
  const facts = new CheckFactsReader(runs);
  const checks = new CheckReading(at, headers, facts);
  // Cast: no area has a form.
  const html = { of: () => Promise.resolve(new Map()) } as unknown as FormHtml;
  return {
    ...{ views, reads, checks },
    areas: new AreaReading(at, headers, new AreaFactsReader(at), html),
    status: new StatusReading(at, checks, facts, runs),
  };
}

const page = (path: string, query: Readonly<Record<string, string>> = {}): ListRequest => {
  const list = operationTable[`GET /project/:id/${path}`]?.list;
  if (list === undefined) throw new Error(`${path} is no list`);
  return readListRequest(list, { limit: '2', ...query }, []);
};

type Reading = (world: World, project: NonNullable<Awaited<ReturnType<typeof projectOf>>>) => Promise<unknown>;
const projectOf = ({ views }: World) => views.get(projectView, PROJECT);

it.each<readonly [string, Reading]>([
  ['the project', ({ views }) => projectWithFacts(views, PROJECT)],
  ['its groups', ({ areas }, project) => areas.ofProject(project, page('areas'))],
  ['one group', ({ areas }, project) => areas.one('one', project)],
  ['its tests', ({ checks }, project) => checks.ofProject(project, page('tests'))],
  ['its tests that fail', ({ checks }, project) => checks.ofProject(project, page('tests', { status: 'error' }))],
  ['one test', ({ checks }, project) => checks.one('check-7', project)],
  ['its status', ({ status }, project) => status.summary(project, 0, page('status'))],
  ['its simple status', ({ status }, project) => status.simple(project, page('simple-status'))],
])('reads the events of the project once for %s as of an instant', async (_, reading) => {
  const project = await projectOf(world());
  if (project === null) throw new Error('folded to nothing');
  const fresh = world();
  const answer = await reading(fresh, project);
  expect(answer).not.toBeNull();
  expect(fresh.reads).toHaveLength(1);
});

it('counts, and names the worst test, as of an instant', async () => {
  const past = world();
  const project = await projectOf(past);
  if (project === null) throw new Error('folded to nothing');
  const { answer } = await past.status.summary(project, 0, page('status'));
  expect(answer).toMatchObject({ total: 30, failed: 1, project: { status: 'error', shortMessage: '500' } });
});
