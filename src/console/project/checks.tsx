import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { shortAddress } from '../overview/shown-sites.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { shortOf, localInstants } from '../time/instants.ts';
import { checksByGroup } from './checks-by-group.ts';

type Test = Schemas['Test'];
type Group = Schemas['Area'];

const STATES: Readonly<Record<string, GlyphState>> = { ok: 'working', error: 'failing', timeout: 'failing' };
const SHOWN = 100;

interface ChecksProps {
  readonly id: string;
  readonly tests: readonly Test[];
  readonly groups: readonly Group[];
  readonly now: number;
  /** True in the present, for a person with the right to. */
  readonly mayAdd: boolean;
}

/** The checks by group with their last result; failing ones first. */
export function Checks({ id, tests, groups, now, mayAdd }: ChecksProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? tests : tests.toSorted(failingFirst).slice(0, SHOWN);
  return (
    <section class="section" aria-labelledby="checks">
      <h2 id="checks">Checks</h2>
      {tests.length === 0 && <p class="soft">This site has no checks: only its uptime and its certificate are watched.</p>}
      {checksByGroup(shown.toSorted(failingFirst), groups).map(({ group, checks }) => (
        <div key={group?.id ?? ''}>
          {group !== null && <GroupHead id={id} group={group} />}
          {checks.length > 0 && (
            <ul class="rows-list checks">
              {checks.map((test) => (
                <Row key={test.id} id={id} test={test} now={now} />
              ))}
            </ul>
          )}
        </div>
      ))}
      {shown.length < tests.length && (
        <p>
          <button class="quiet inline" onClick={() => setWhole(true)}>
            Show all {tests.length} checks
          </button>
        </p>
      )}
      {mayAdd && (
        <p class="actions">
          <Link to={['projects', id, 'checks', 'new']}>Add a check</Link>
          <Link to={['projects', id, 'groups', 'new']}>Add a group</Link>
        </p>
      )}
    </section>
  );
}

function GroupHead({ id, group: { id: groupId, name, rules } }: { readonly id: string; readonly group: Group }) {
  const count = rules.reduce((sum, block) => sum + block.length, 0);
  return (
    <h3 class="group-head">
      <Link to={['projects', id, 'groups', groupId]} class="plain">
        {name}
      </Link>
      {count > 0 && <span class="soft"> {`${String(count)} ${count === 1 ? 'rule' : 'rules'} for each of its checks`}</span>}
    </h3>
  );
}

function Row({ id, test, now }: { readonly id: string; readonly test: Test; readonly now: number }) {
  const { enabled, status, name, url } = test;
  return (
    <li>
      <Glyph state={enabled ? (STATES[status.status] ?? 'unknown') : 'unknown'} />
      <span class="check-name">
        <Link to={['projects', id, 'checks', test.id]}>{name === '' ? shortAddress(url) : name}</Link>
      </span>
      <span class="check-path mono soft">{name === '' ? '' : shortAddress(url)}</span>
      <span class={`grow ${isFailing(test) ? 'problem' : 'soft'}`}>{localInstants(resultOf(test), now)}</span>
      <When status={status} now={now} />
    </li>
  );
}

/** The last run; of the past, where runs are no events, since when the verdict stood. */
function When({ status: { lastRun, lastChange }, now }: { readonly status: Test['status']; readonly now: number }) {
  const isPast = shownInstant.value !== null;
  const at = (isPast ? lastChange : lastRun) * 1000;
  if (at === 0) return null;
  return (
    <time dateTime={new Date(at).toISOString()}>
      {isPast && 'since '}
      {shortOf(at, now)}
    </time>
  );
}

const isFailing = ({ enabled, status }: Test): boolean => enabled && (status.status === 'error' || status.status === 'timeout');
const failingFirst = (one: Test, other: Test): number => Number(isFailing(other)) - Number(isFailing(one));

function resultOf({ enabled, status, rules, run }: Test): string {
  if (!enabled) return 'switched off';
  if (run === 'running') return 'running …';
  const [failure] = status.failures;
  if (failure !== undefined) return failure;
  if (status.status === 'unknown') return 'not run yet';
  return rules.length === 0 ? 'answers' : `${String(rules.length)} ${rules.length === 1 ? 'rule holds' : 'rules hold'}`;
}
