import { accountEvents } from '../../src/accounts/account.events.ts';
import { catalogue } from '../../src/events.ts';
import { incidentEvents } from '../../src/status-pages/incident.events.ts';
import { statusPageEvents } from '../../src/status-pages/status-page.events.ts';
import { systemEvents } from '../../src/history/system.events.ts';
import type { SpecEvent } from '../../src/platform/read-models/testing/projection-spec.ts';
import { samples } from './samples.ts';

/** Endings come last, and objects before events about them. */
const FIRST = ['ProjectCreated', 'AccountOpened', 'AreaCreated', 'CheckCreated', 'JobRequested'];
const LAST = ['CheckDeleted', 'AreaDeleted', 'MemberRemoved', 'ProjectDeleted', 'AccountErased'];
const NEVER_IN_A_LIFE = ['ProjectCreationAbandoned', 'AccountOpeningAbandoned'];

const rank = (type: string): number => (FIRST.includes(type) ? FIRST.indexOf(type) - FIRST.length : LAST.indexOf(type) + 1);

const ofInstallation = { ...statusPageEvents, ...incidentEvents };

function life(kind: 'project' | 'account', id: string, isEnded: boolean): readonly SpecEvent[] {
  const types = Object.keys(catalogue)
    .filter(
      (type) =>
        !Object.hasOwn(systemEvents, type) &&
        !Object.hasOwn(ofInstallation, type) &&
        Object.hasOwn(accountEvents, type) === (kind === 'account'),
    )
    .filter((type) => !NEVER_IN_A_LIFE.includes(type) && (isEnded || !LAST.includes(type)))
    .sort((left, right) => rank(left) - rank(right));
  const data: Readonly<Record<string, object>> = samples(id);
  return types.flatMap((type) => {
    const sample = data[type];
    return sample === undefined ? [] : [{ scope: `${kind}-${id}`, type, data: sample }];
  });
}

/** Two status pages and their incidents; of one page a draft is discarded and then the page is deleted. */
function statusPages(): readonly SpecEvent[] {
  const [ended, open] = ['a', 'b'].map((id): readonly SpecEvent[] => {
    const data: Readonly<Record<string, object>> = samples(id);
    const types = Object.keys(ofInstallation).filter((type) => type !== 'IncidentDraftDiscarded' && type !== 'StatusPageDeleted');
    return types.flatMap((type) => (data[type] === undefined ? [] : [{ scope: 'system', type, data: data[type] }]));
  });
  return [
    ...(open ?? []),
    ...(ended ?? []),
    { scope: 'system', type: 'IncidentDraftDiscarded', data: samples('a').IncidentDraftDiscarded },
    { scope: 'system', type: 'StatusPageDeleted', data: samples('a').StatusPageDeleted },
  ];
}

/** Every event of the catalogue in the lives of two projects and two accounts, one of each ended, side by side as a log has them. */
export function history(): readonly SpecEvent[] {
  const lives = [
    ...[life('project', 'a', true), life('project', 'b', false), life('account', '1', true), life('account', '2', false)],
    statusPages(),
  ];
  const longest = Math.max(...lives.map(({ length }) => length));
  return Array.from({ length: longest }, (_, step) => lives.flatMap((events) => events.slice(step, step + 1))).flat();
}
