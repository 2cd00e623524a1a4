import { describe, expect, it } from '@jest/globals';
import { matchedOperations } from './api-rights.ts';
import { history } from '../../test/samples/history.ts';
import { samples } from '../../test/samples/samples.ts';
import { account } from '../accounts/account.state.ts';
import { badge } from '../overview/badge/badge.decider.ts';
import { checklist } from '../projects/checks/checklist.decider.ts';
import { destinations } from '../streams/destinations/destination.decider.ts';
import { upcast } from '../events.ts';
import { maintenance } from '../projects/maintenance/maintenance.decider.ts';
import { objective } from '../projects/objectives/objective.decider.ts';
import { preferences } from '../alerts/preferences/preference.decider.ts';
import { project } from '../projects/project.state.ts';
import { statusPages } from '../status-pages/status-page.decider.ts';
import type { LogEvent } from '../kernel/event.ts';
import { accountTagIn, channelTagIn } from '../accounts/account.view.ts';
import { areaTagIn } from '../projects/areas/area.view.ts';
import { badgeTagIn } from '../overview/badge/badge.view.ts';
import { checkTagIn } from '../projects/checks/check.view.ts';
import { destinationTagIn } from '../streams/destinations/destination.view.ts';
import { maintenanceTagIn } from '../projects/maintenance/maintenance.view.ts';
import { notificationsTagIn } from '../alerts/preferences/preference.view.ts';
import { objectiveTagIn } from '../projects/objectives/objective.view.ts';
import { projectTagIn, usersTagIn } from '../projects/project.view.ts';
import { statusPageTagIn } from '../status-pages/status-page.view.ts';
import { serviceAccountTagIn } from '../projects/service-accounts/service-account.view.ts';

interface AnyDecider {
  readonly initial: unknown;
  readonly evolve: (state: never, event: never) => unknown;
}

/** How a command finds the tag of a thing in the state that it decides on. */
const inState = <State>(decider: { readonly initial: State; readonly evolve: unknown }, tag: (state: State) => string | null) => ({
  decider: decider as AnyDecider,
  tag: tag as (state: unknown) => string | null,
});

const ids = {
  projectId: 'b',
  checkId: 'check-b',
  areaId: 'area-b',
  userId: 7,
  channel: 'slack',
  pageId: 'page-b',
  serviceAccountId: 'service-b',
  destinationId: samples('b').DestinationAdded.destinationId,
};
/** The events of the samples call it the account 1. */
const STREAM_OF_ACCOUNT = 'account-2';

/** By the names of things. */
const states: Readonly<Record<string, ReturnType<typeof inState>>> = {
  project: inState(project, (state) => projectTagIn('b', state)),
  users: inState(project, (state) => usersTagIn('b', state)),
  test: inState(checklist, (state) => checkTagIn('check-b', state)),
  area: inState(checklist, (state) => areaTagIn('area-b', state)),
  objective: inState(objective, (state) => objectiveTagIn('b', state)),
  maintenance: inState(maintenance, (state) => maintenanceTagIn('b', state)),
  notifications: inState(preferences, (state) => notificationsTagIn('b', 7, state)),
  badge: inState(badge, (state) => badgeTagIn('b', state)),
  account: inState(account, (state) => accountTagIn(state)),
  statusPage: inState(statusPages, (state) => statusPageTagIn('page-b', state)),
  channel: inState(account, (state) => channelTagIn('slack', state)),
  destination: inState(destinations, (state) => destinationTagIn(ids.destinationId, state)),
  serviceAccount: inState(project, (state) => (state.kind === 'open' ? serviceAccountTagIn('service-b', state.serviceAccounts) : null)),
};

// Cast: folds read what a recorded event has.
const events = history()
  .filter(({ scope }) => scope === 'project-b' || scope === STREAM_OF_ACCOUNT || scope === 'system')
  .map((body, n) =>
    upcast({
      id: String(n),
      n,
      revision: n,
      recordedAt: '',
      meta: { occurredAt: '', actor: { kind: 'user', id: '1' } },
      stream: body.scope,
      version: 1,
      ...body,
    } as unknown as LogEvent),
  );

/** All that routes are conditional on. */
const things = [...new Set(matchedOperations.values())];

/** The types of the events that change the tag, where both sides agree. */
function tagChanges(name: string) {
  const [thing, inItsState] = [things.find((one) => one.name === name), states[name]];
  if (thing === undefined || inItsState === undefined)
    throw new Error(`no route is conditional on the thing ${name}, or it is in no state`);
  const { decider, tag } = inItsState;
  const row = thing.row(name === 'account' || name === 'channel' ? { ...ids, userId: 1 } : ids);
  let [state, document]: [unknown, object | null] = [decider.initial, null];
  const changing: string[] = [];
  const differing: string[] = [];
  const ofThing = events.filter(({ scope }) => scope.startsWith(row.view.scope));
  for (const event of ofThing) {
    const before = tag(state);
    state = decider.evolve(state as never, event as never);
    if (row.view.key(event) === (row.view.scope === 'account' ? '2' : row.key)) document = row.view.evolve(document, event);
    if (tag(state) !== before) changing.push(event.type);
    const isCreated = tag(state) !== null;
    if (isCreated && row.tag(document) !== tag(state)) differing.push(event.type);
  }
  return { changing, differing };
}

describe('the tag of settings', () => {
  it.each(things.map(({ name }) => name))('of the thing %s is the same in its row and in the state that a command decides on', (name) => {
    const { differing, changing } = tagChanges(name);
    expect(differing).toEqual([]);
    expect(changing.length).toBeGreaterThan(0);
  });

  it('changes with settings alone', () => {
    expect(tagChanges('test').changing.toSorted()).toEqual([
      ...[
        'CheckCreated',
        'CheckKeyChanged',
        'CheckMoved',
        'CheckNoticeChanged',
        'CheckOptionsChanged',
        'CheckRenamed',
        'CheckRulesChanged',
      ],
      ...['CheckSwitched', 'CheckTemplateChanged', 'CheckTypeChanged', 'CheckUrlChanged'],
    ]);
    expect(tagChanges('objective').changing.toSorted()).toEqual(['ObjectiveRemoved', 'ObjectiveSet']);
    const found = tagChanges('project').changing;
    expect(found).toContain('ProjectRenamed');
    expect(found.filter((type) => /Member|Invitation|Transfer|Homepage|Check|Area/.test(type))).toEqual([]);
  });
});
