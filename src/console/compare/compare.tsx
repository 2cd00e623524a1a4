import { useEffect, useState } from 'preact/hooks';
import { address, setQuery, shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { rememberTitle, useTitle } from '../frame/titles.ts';
import { PageState } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf, zoneText, localField } from '../time/instants.ts';
import { type NamesByPath, thingOf, mergedChanges, type ShownChange, shownValue } from './changed-things.ts';
import { serverNow } from '../time/server-clock.ts';

/** Events that a page of the comparison covers. */
const PAGE = 1_000;
const SHOWN_EVENTS = 3;

/** Two instants of a project side by side: the one that is shown, and now or any other; where now is shown, the other one and now. */
export function Compare({ id }: { readonly id: string }) {
  const shown = shownInstant.value;
  const given = Date.parse(address.value.query.get('with') ?? '');
  const other = Number.isNaN(given) ? null : given;
  const [from, to] = shown === null ? [other, null] : [shown, other];
  const [read, setRead] = useState(0);
  const { value, error, reload } = useLoaded(`${id} ${String(from)} ${String(to)}`, async (signal) => {
    const project = await service.get('/project/{id}', { path: { id }, signal });
    const { title } = project.data;
    if (from === null) return { title, changes: [], names: new Map<string, string>() };
    const [changes, names] = await Promise.all([changesBetween(id, from, to, signal, setRead), loadNames(id, [from, to], signal)]);
    return { title, changes, names };
  });
  useTitle('Comparison');
  useEffect(() => {
    if (value !== undefined) rememberTitle(id, value.title);
  }, [value]);
  if (error !== undefined || (value === undefined && read === 0)) return <PageState what="The comparison" error={error} retry={reload} />;
  if (value === undefined)
    return (
      <main class="page" aria-busy="true">
        <p class="soft">Comparing, {(read * PAGE).toLocaleString('en')} events read …</p>
      </main>
    );
  const { title, changes, names } = value;
  return (
    <main class="page">
      <h1>{from === null ? 'Choose an instant here or on the bar of time.' : sentence(title, changes.length)}</h1>
      <p class="soft">{from !== null && `${fullOf(from)}, and ${to === null ? 'now' : fullOf(to)}.`}</p>
      <form class="fields narrow">
        <label>
          Compare with ({zoneText()}), empty for now
          <input
            type="datetime-local"
            step="1"
            value={other === null ? '' : localField(other)}
            onChange={({ currentTarget: { value: chosen } }) => setQuery('with', chosen === '' ? null : new Date(chosen).toISOString())}
          />
        </label>
        {to !== null && (
          <button type="button" onClick={() => setQuery('with', null)}>
            Compare with now
          </button>
        )}
      </form>
      {from !== null && changes.length > 0 && <Table id={id} changes={changes} names={names} from={from} to={to} />}
    </main>
  );
}

async function changesBetween(
  id: string,
  from: number,
  to: number | null,
  signal: AbortSignal,
  onPage: (pages: number) => void,
): Promise<readonly ShownChange[]> {
  const pages: (readonly ShownChange[])[] = [];
  // The end is fixed, so that events of now do not move it from page to page.
  const span = { from: new Date(from).toISOString(), to: new Date(to ?? serverNow()).toISOString(), limit: PAGE };
  let cursor: string | null = null;
  do {
    const query: typeof span & { cursor?: string } = cursor === null ? span : { ...span, cursor };
    const { data } = await service.get('/project/{id}/compare', { path: { id }, query, signal });
    pages.push(data.changes);
    onPage(pages.length);
    cursor = data.nextCursor;
  } while (cursor !== null);
  return mergedChanges(pages);
}

interface TableProps {
  readonly id: string;
  readonly changes: readonly ShownChange[];
  readonly names: NamesByPath;
  readonly from: number;
  readonly to: number | null;
}

function Table({ id, changes, names, from, to }: TableProps) {
  return (
    <div class="compared changes">
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">{fullOf(from)}</th>
            <th scope="col">{to === null ? 'Now' : fullOf(to)}</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, from: before, to: after, events }) => (
            <tr key={path}>
              <th scope="row" title={path}>
                {thingOf(path, names)}
              </th>
              <td class="removed" data-label={fullOf(from)}>
                {shownValue(before, path, from)}
              </td>
              <td class="added" data-label={to === null ? 'Now' : fullOf(to)}>
                {shownValue(after, path, to ?? serverNow())}
              </td>
              <td data-label="Why">
                {events.slice(-SHOWN_EVENTS).map((event, index) => (
                  <span key={event}>
                    {index > 0 && ', '}
                    <Link to={['projects', id, 'events', event]}>
                      {events.length === 1 ? 'event' : `event ${String(Math.max(0, events.length - SHOWN_EVENTS) + index + 1)}`}
                    </Link>
                  </span>
                ))}
                {events.length > SHOWN_EVENTS && <span class="soft"> of {String(events.length)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sentence(title: string, count: number): string {
  if (count === 0) return `Nothing of ${title} is different.`;
  return `${String(count)} ${count === 1 ? 'thing' : 'things'} of ${title} ${count === 1 ? 'is' : 'are'} different.`;
}

/** Reads the names as of both instants, because what exists at one of them only has a name there. */
async function loadNames(id: string, instants: readonly (number | null)[], signal: AbortSignal): Promise<NamesByPath> {
  const lists = await Promise.all(instants.map((at) => namesAt(id, at, signal)));
  return new Map(lists.flat());
}

async function namesAt(id: string, at: number | null, signal: AbortSignal): Promise<readonly (readonly [string, string])[]> {
  const query = at === null ? {} : { asOf: new Date(at).toISOString() };
  const options = { path: { id }, query, signal };
  const [tests, areas, users] = await Promise.all([
    service.list('/project/{id}/tests', options).all(),
    service.list('/project/{id}/areas', options).all(),
    service.list('/project/{id}/users', options).all(),
  ]);
  return [
    ...tests.map((test) => [`tests/${test.id}`, `Check ${test.name === '' ? test.url : test.name}`] as const),
    ...areas.map((area) => [`areas/${area.id}`, `Group ${area.name}`] as const),
    ...users.map((user) => [`users/${user.id}`, user.name ?? user.email ?? `account ${user.id}`] as const),
  ];
}
