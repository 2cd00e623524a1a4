import { useEffect } from 'preact/hooks';
import { address, setQuery, shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { rememberTitle } from '../frame/titles.ts';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf } from '../time/instants.ts';
import { localField } from '../time/local-field.ts';
import { shownValue } from './shown-value.ts';

/** Two instants of a project side by side: the one that is shown, and now or any other. */
export function Compare({ id }: { readonly id: string }) {
  const from = shownInstant.value;
  const given = Date.parse(address.value.query.get('with') ?? '');
  const to = Number.isNaN(given) ? null : given;
  const { value, error, reload } = useLoaded(`${id} ${String(from)} ${String(to)}`, async (signal) => {
    const project = await service.get('/project/{id}', { path: { id }, signal });
    if (from === null) return { title: project.data.title, changes: [], isWhole: true };
    const query = { from: new Date(from).toISOString(), ...(to !== null && { to: new Date(to).toISOString() }), limit: 200 };
    const { data } = await service.get('/project/{id}/compare', { path: { id }, query, signal });
    return { title: project.data.title, changes: data.changes, isWhole: data.nextCursor === null };
  });
  useEffect(() => {
    if (value !== undefined) rememberTitle(id, value.title);
  }, [value]);
  if (value === undefined)
    return error === undefined ? <main class="page" aria-busy="true" /> : <Failed what="The comparison" error={error} retry={reload} />;
  const { title, changes, isWhole } = value;
  return (
    <main class="page">
      <h1>{from === null ? 'Choose an instant on the bar of time.' : sentence(title, changes.length, isWhole)}</h1>
      <p class="soft">{from !== null && `${fullOf(from)}, and ${to === null ? 'now' : fullOf(to)}.`}</p>
      <form class="fields narrow">
        <label>
          Compare with
          <input
            type="datetime-local"
            step="1"
            value={to === null ? '' : localField(to)}
            onChange={({ currentTarget: { value: chosen } }) => setQuery('with', chosen === '' ? null : new Date(chosen).toISOString())}
          />
        </label>
        {to !== null && (
          <button type="button" onClick={() => setQuery('with', null)}>
            Compare with now
          </button>
        )}
      </form>
      {changes.length > 0 && (
        <div class="compared">
          <table>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">Then</th>
                <th scope="col">{to === null ? 'Now' : 'Later'}</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ path, from: before, to: after, events }) => (
                <tr key={path}>
                  <th scope="row" class="mono">
                    {path}
                  </th>
                  <td class="removed">{shownValue(before)}</td>
                  <td class="added">{shownValue(after)}</td>
                  <td>
                    {events.slice(0, 3).map((event, index) => (
                      <span key={event}>
                        {index > 0 && ', '}
                        <Link to={['projects', id, 'events', event]}>{events.length === 1 ? 'event' : `event ${String(index + 1)}`}</Link>
                      </span>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}

function sentence(title: string, count: number, isWhole: boolean): string {
  if (count === 0) return `Nothing of ${title} is different.`;
  return `${isWhole ? '' : 'More than '}${String(count)} ${count === 1 ? 'thing' : 'things'} of ${title} ${count === 1 ? 'is' : 'are'} different.`;
}
