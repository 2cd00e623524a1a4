import { shownInstant } from '../frame/address.ts';
import { Failed, PageState, LoadedList } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';
import { ofInstallation } from '../destinations/destination-calls.ts';
import { DestinationList } from '../destinations/destination-list.tsx';
import { ConsumerList } from './consumer-list.tsx';
import { ProjectionList } from './projection-list.tsx';
import { readersSentence } from './sentence.ts';
import { SubscriptionList } from './subscription-list.tsx';
import { fullOf } from '../time/instants.ts';

/** What reads the log and acts on it, of the service and of teams: whether it keeps up, and what waits for an operator. */
export function TeamsPage() {
  const { value, error, reload } = useLoaded('', (signal) =>
    Promise.all([service.list('/ops/projections', { signal }).all(), service.list('/ops/consumers', { signal }).all()]),
  );
  if (value === undefined) return <PageState what="The projections and consumers" error={error} retry={reload} />;
  const [projections, consumers] = value;
  const isNow = shownInstant.value === null;
  const mayAdminister = isNow && session.value?.rights.administer === true;
  return (
    <main class="page">
      <h1>{readersSentence(projections, consumers)}</h1>
      {!isNow && <p class="soft">This page shows the present: where a projection or consumer stood in the past is not kept.</p>}
      {error !== undefined && <Failed what="The present state" error={error} retry={reload} />}
      <ProjectionList projections={projections} mayChange={mayAdminister} reload={reload} />
      <ConsumerList consumers={consumers} mayChange={mayAdminister} reload={reload} />
      <SubscriptionList mayChange={isNow} />
      <DestinationList
        calls={ofInstallation}
        of="Destinations of the installation"
        mayChange={mayAdminister}
        none="None: a program adds one with POST /destinations."
      />
      {session.value?.rights.administer === true && <ServiceAccountList />}
    </main>
  );
}

/** Programs with a system role. */
function ServiceAccountList() {
  const loaded = useLoaded('', (signal) => service.list('/service-accounts', { signal }).all());
  return (
    <section class="section" aria-labelledby="service-accounts">
      <h2 id="service-accounts">Service accounts of the installation</h2>
      <LoadedList what="Service accounts" loaded={loaded} none="None: watchledger service-accounts, or POST /service-accounts, makes one.">
        {(accounts) => (
          <ul class="rows-list">
            {accounts.map(({ id, name, role, tokens, created }) => (
              <li key={id} class="wrap">
                <span class="grow">
                  <strong>{name}</strong> <span class="soft">{role}</span>
                </span>
                <span class="soft">
                  {String(tokens)} {tokens === 1 ? 'token' : 'tokens'} · since {fullOf(Date.parse(created))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}
