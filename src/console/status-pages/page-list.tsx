import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { LoadedList } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { useRefusal } from './page-rights.ts';

/** The status pages that the person may edit. */
export function PageList() {
  const loaded = useLoaded('', (signal) => service.list('/status-pages', { signal }).all());
  return (
    <main class="page">
      <h1>{pagesSentence(loaded.value?.length)}</h1>
      <p class="soft">What outsiders see of your sites: what works, 90 days, incidents, planned work, and any past instant.</p>
      {shownInstant.value !== null && <p class="soft">This page shows the present.</p>}
      <div class="section">
        <LoadedList what="The status pages" loaded={loaded} none="">
          {(pages) => (
            <ul class="rows-list">
              {pages.map(({ id, title, url, access, groups }) => (
                <li key={id} class="wrap">
                  <span class="grow">
                    <Link to={['status-pages', id]} class="strong">
                      {title}
                    </Link>{' '}
                    {access !== 'public' && <span class="tag">{access}</span>}
                  </span>
                  <span class="soft">{countOf(groups.reduce((sum, { items }) => sum + items.length, 0))}</span>
                  <a href={url} class="mono">
                    {url}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </LoadedList>
      </div>
      {shownInstant.value === null && <NewPageLink />}
    </main>
  );
}

function NewPageLink() {
  const { value: refusal } = useRefusal();
  if (refusal === undefined) return null;
  return refusal === null ? (
    <p class="section">
      <Link to={['status-pages', 'new']}>Make a status page</Link>
    </p>
  ) : (
    <p class="section soft">{refusal}</p>
  );
}

function pagesSentence(count: number | undefined): string {
  if (count === undefined) return 'Status pages';
  if (count === 0) return 'There is no status page yet.';
  return count === 1 ? 'One status page shows your sites.' : `${String(count)} status pages show your sites.`;
}

const countOf = (items: number): string => `${String(items)} ${items === 1 ? 'item' : 'items'}`;
