import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { LoadedList } from '../parts/states.tsx';
import { type Confirmation, OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';

type Account = Schemas['Account'];

const SHOWN = 50;

/** All accounts, found by what is typed, with their plans and system roles. */
export function AccountList() {
  const [search, setSearch] = useState('');
  const loaded = useLoaded(search, async (signal) => {
    const { data } = await service.get('/accounts', { query: { limit: SHOWN, ...(search !== '' && { search }) }, signal });
    return data.accounts;
  });
  const plans = useLoaded('', async (signal) => (await service.get('/ops/installation', { signal })).data.plans.map(({ name }) => name));
  return (
    <section class="section" aria-labelledby="accounts">
      <h2 id="accounts">Accounts</h2>
      <label class="search-field">
        Name or e-mail address, of which the first {SHOWN} are shown
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <LoadedList what="Accounts" loaded={loaded} none="No account has this name or address.">
        {(accounts) => (
          <ul class="rows-list">
            {accounts.map((account) => (
              <Row key={account.id} account={account} plans={plans.value ?? []} changed={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

interface RowProps {
  readonly account: Account;
  readonly plans: readonly string[];
  readonly changed: () => void;
}

function Row({ account, plans, changed }: RowProps) {
  const { email, name, plan, systemRole, confirmed } = account;
  return (
    <li class="wrap">
      <span class="grow">
        <strong>{email ?? 'deleted account'}</strong> {name !== null && <span class="soft">{name}</span>}
      </span>
      <span class="soft">{[...(systemRole === null ? [] : [systemRole]), plan, ...(confirmed ? [] : ['not confirmed'])].join(' · ')}</span>
      {shownInstant.value === null && email !== null && <Change account={account} plans={plans} changed={changed} />}
    </li>
  );
}

function Change({ account, plans, changed }: RowProps) {
  const [plan, setPlan] = useState<string>(account.plan);
  const [role, setRole] = useState<string>(account.systemRole ?? '');
  const opened = (): void => {
    setPlan(account.plan);
    setRole(account.systemRole ?? '');
  };
  const save = async (confirmation: Confirmation): Promise<undefined> => {
    // Cast: the lists below have nothing else.
    const wanted = { plan, systemRole: role === '' ? null : role } as Schemas['Administration'];
    await service.put('/accounts/{userId}', { path: { userId: account.id }, body: { ...wanted, ...confirmation } });
    changed();
  };
  return (
    <OpenedForm label="Change" about={account.email ?? account.id} submit="Save" opened={opened} save={save}>
      <label>
        Plan
        <select name="account-plan" value={plan} onChange={(event) => setPlan(event.currentTarget.value)}>
          {plans.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label>
        Role in the installation
        <select name="account-role" value={role} onChange={(event) => setRole(event.currentTarget.value)}>
          <option value="">none</option>
          <option value="auditor">auditor: reads everything</option>
          <option value="admin">admin: administers everything</option>
        </select>
      </label>
    </OpenedForm>
  );
}
