import { LoadedList } from '../parts/loaded-list.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf } from '../time/instants.ts';

/** Programs with a system role. */
export function ServiceAccountList() {
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
