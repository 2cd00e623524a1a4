import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { everyText } from '../time/instants.ts';

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
            <strong>{name}</strong> {name === value.defaultPlan && <span class="tag">for new accounts</span>}
            <span class="grow soft">
              {bound(maxProjects)} {maxProjects === 1 ? 'site' : 'sites'} · checks {everyText(defaultPeriod)} · uptime from{' '}
              {String(minUptimePeriod)} s · {apiAccess ? `${bound(budgets.requestsPerMinute)} requests a minute` : 'no API'}
              {secondFactor && ' · second factor needed'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
