import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { Failed, PageState, LoadedList } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';
import { Deliveries } from './deliveries.tsx';
import { AccountList } from './account-list.tsx';
import { Password } from './password.tsx';
import { SecondFactors } from './second-factors.tsx';
import { Tokens } from './tokens.tsx';
import { everyText } from '../time/instants.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { Channels } from './channels.tsx';

const STATES: Readonly<Record<'ok' | 'warn' | 'fail', GlyphState>> = { ok: 'working', warn: 'warning', fail: 'failing' };

/** What the doctor finds on the instance that answers: what is wrong first. */
function Findings() {
  const loaded = useLoaded('', async (signal) => {
    const { findings } = (await service.get('/ops/doctor', { signal })).data;
    return findings.toSorted((one, other) => Number(one.state === 'ok') - Number(other.state === 'ok'));
  });
  const wrong = loaded.value?.filter(({ state }) => state !== 'ok').length ?? 0;
  return (
    <section class="section" aria-labelledby="doctor">
      <h2 id="doctor">
        What the doctor finds{' '}
        {loaded.value !== undefined && (
          <span class="chart-legend">
            {wrong === 0 ? 'all is well' : `${String(wrong)} of ${String(loaded.value.length)} ${wrong === 1 ? 'needs' : 'need'} attention`}
          </span>
        )}
      </h2>
      <LoadedList what="The doctor" loaded={loaded} none="Nothing was examined.">
        {(findings) => (
          <ul class="rows-list">
            {findings.map(({ name, state, found, advice }) => (
              <li key={name}>
                <Glyph state={STATES[state]} />
                <div class="grow">
                  <p>
                    <strong>{name}</strong> {found}
                  </p>
                  {advice !== null && <p class="soft">{advice}</p>}
                </div>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

const bound = (count: number | null): string => (count === null ? 'any number of' : String(count));

/** Version, engine and plans. */
function Plans() {
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

/** What can act for the account, and for people who administer the installation its state. */
export function AdministrationPage() {
  const { value, error, reload } = useLoaded('', (signal) => service.list('/account/tokens', { signal }).all());
  const found = session.value;
  if (value === undefined || found == null) return <PageState what="The account" error={error} retry={reload} />;
  const isNow = shownInstant.value === null;
  const { administer, readAll } = found.rights;
  return (
    <main class="page">
      <h1>{accountSentence(value)}</h1>
      <p class="soft">{[found.account.email, found.account.systemRole ?? `plan ${found.account.plan}`].filter(Boolean).join(' · ')}</p>
      {!isNow && (
        <p class="soft">Messages are shown as of this instant. Sessions, channels and the installation are kept for the present only.</p>
      )}
      {administer && <Findings />}
      <Tokens tokens={value} reload={reload} />
      <Channels />
      <Deliveries />
      <SecondFactors isNow={isNow} />
      {isNow && <Password changed={reload} />}
      {administer && <AccountList />}
      {readAll && <Plans />}
      {administer && <Backups />}
    </main>
  );
}

function accountSentence(tokens: readonly Schemas['PersonalToken'][]): string {
  const sessions = tokens.filter(({ kind }) => kind === 'session').length;
  const others = tokens.length - sessions;
  const signedIn = sessions === 1 ? 'Only this browser is signed in' : `${String(sessions)} browsers are signed in`;
  if (others === 0) return `${signedIn} as you, and no token acts for you.`;
  return `${signedIn} as you, and ${others === 1 ? '1 token acts' : `${String(others)} tokens act`} for you.`;
}

/** Backups are files that an operator makes elsewhere: the service neither makes them nor knows of them. */
function Backups() {
  return (
    <section class="section" aria-labelledby="backups">
      <h2 id="backups">Backups</h2>
      <p>
        <code>watchledger backup FILE</code> copies everything as of one instant beside the running service, and the keys into a file of
        their own. The service does not see these files: whether the last one is recent, the timetable that makes them has to say.
      </p>
      <p class="soft">
        A restore refuses a file that is incomplete or was changed. Keep the master key elsewhere; practise a restore before you need it.
      </p>
    </section>
  );
}
