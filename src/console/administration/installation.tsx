import { useState } from 'preact/hooks';
import { Failed } from '../parts/states.tsx';
import { LoadedList } from '../parts/loaded-list.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';

const bound = (count: number | null): string => (count === null ? 'any number of' : String(count));

/** Version, engine and plans. */
export function Plans() {
  const { value, error, reload } = useLoaded('', async (signal) => (await service.get('/ops/installation', { signal })).data);
  if (error !== undefined && value === undefined) return <Failed what="The plans" error={error} retry={reload} />;
  return (
    <section class="section" aria-labelledby="plans">
      <h2 id="plans">
        Plans{' '}
        {value !== undefined && (
          <span class="chart-legend">
            version {value.version} · events in {value.engine} · this instance: {value.roles.join(', ')}
          </span>
        )}
      </h2>
      <ul class="rows-list">
        {value?.plans.map(({ name, maxProjects, defaultPeriod, minUptimePeriod, apiAccess, secondFactor, budgets }) => (
          <li key={name} class="wrap">
            <strong>{name}</strong> {name === value.defaultPlan && <span class="tag">of new accounts</span>}
            <span class="grow soft">
              {bound(maxProjects)} projects · checks every {defaultPeriod} · uptime from {String(minUptimePeriod)} s ·{' '}
              {apiAccess ? `${bound(budgets.requestsPerMinute)} requests a minute` : 'no API'}
              {secondFactor && ' · second factor needed'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** All accounts, found by what is typed. */
export function AccountList() {
  const [search, setSearch] = useState('');
  const loaded = useLoaded(search, async (signal) => {
    const { data } = await service.get('/accounts', { query: { limit: 50, ...(search !== '' && { search }) }, signal });
    return data.accounts;
  });
  return (
    <section class="section" aria-labelledby="accounts">
      <h2 id="accounts">Accounts</h2>
      <label class="search-field">
        Name or e-mail address, of which the first 50 are shown
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <LoadedList what="Accounts" loaded={loaded} none="No account has this name or address.">
        {(accounts) => (
          <ul class="rows-list">
            {accounts.map(({ id, email, name, plan, systemRole, confirmed }) => (
              <li key={id} class="wrap">
                <span class="grow">
                  <strong>{email ?? 'deleted account'}</strong> {name !== null && <span class="soft">{name}</span>}
                </span>
                <span class="soft">
                  {[...(systemRole === null ? [] : [systemRole]), plan, ...(confirmed ? [] : ['not confirmed'])].join(' · ')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}
