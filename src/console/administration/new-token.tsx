import type { Schemas } from '../../client.ts';
import { useState } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
import { type Confirmation, OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf } from '../time/instants.ts';

type Scope = NonNullable<Schemas['NewToken']['scopes']>[number];

/** What a scope lets a program do, as a person reads it (docs/accounts.md). */
const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'read sites',
  run: 'run checks',
  editTests: 'change checks and groups',
  edit: 'change settings and maintenance',
  manageUsers: 'invite people and change roles',
  member: 'choose your own alerts',
  owner: 'delete sites and offer them to others',
  evidence: 'read kept pages and try rules',
  export: 'export histories',
  feed: 'follow the log',
  create: 'add sites',
  account: 'change the account',
  systemRead: 'read the state of the installation',
  systemAdmin: 'administer the installation',
};

const known: ReadonlyMap<string, string> = new Map(Object.entries(SCOPE_WORDS));

/** Scopes for a sentence, after *may* or *to*. A scope that only a later version of the service knows is named by its id. */
export const scopesText = (scopes: readonly string[]): string => scopes.map((scope) => known.get(scope) ?? scope).join(', ');

const EXPIRIES = { '+1 day': 'a day', '+1 week': 'a week', '+1 month': 'a month', '+1 year': 'a year' } as const;
const MOST_PROJECTS = 100;

/** A token of its own for each program, with no more rights than it needs. It is shown once. */
export function NewToken({ made }: { readonly made: () => void }) {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<string>('+1 year');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [project, setProject] = useState('');
  const [addresses, setAddresses] = useState('');
  const [shown, setShown] = useState<Schemas['MadeToken'] | null>(null);
  const opened = (): void => {
    setName('');
    setExpiry('+1 year');
    setScopes(['read']);
    setProject('');
    setAddresses('');
    setShown(null);
  };
  const save = async (confirmation: Confirmation): Promise<undefined> => {
    const networks = addresses.split(/[\s,]+/).filter((network) => network !== '');
    const body = {
      name,
      exp: expiry,
      scopes: [...scopes],
      ...(project !== '' && { projects: [project] }),
      ...(networks.length > 0 && { addresses: networks }),
      ...confirmation,
    };
    setShown((await service.post('/account/tokens', { body })).data);
    made();
  };
  return (
    <>
      <OpenedForm label="Make a token for a program" submit="Make it" opened={opened} save={save}>
        <Field label="Purpose, such as the name of the program" name="token-name" autocomplete="off" value={name} onChange={setName} />
        <fieldset class="choices two">
          <legend class="soft">It may</legend>
          {(Object.entries(SCOPE_WORDS) as [Scope, string][]).map(([scope, words]) => (
            <label key={scope} class="switch">
              <input
                type="checkbox"
                name={`scope-${scope}`}
                checked={scopes.includes(scope)}
                onChange={({ currentTarget: { checked } }) =>
                  setScopes(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                }
              />{' '}
              {words}
            </label>
          ))}
        </fieldset>
        <ProjectChoice project={project} choose={setProject} />
        <label>
          From these networks only, such as 192.0.2.0/24; empty: from everywhere
          <input name="token-addresses" class="mono" value={addresses} onInput={(event) => setAddresses(event.currentTarget.value)} />
        </label>
        <label>
          It ends after
          <select name="token-expiry" value={expiry} onChange={(event) => setExpiry(event.currentTarget.value)}>
            {Object.entries(EXPIRIES).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </OpenedForm>
      {shown !== null && (
        <div role="status" class="shown-once">
          <p>Keep this token; it is shown only now. It ends on {fullOf(Date.parse(shown.expiresAt))}.</p>
          <p class="mono">{shown.token}</p>
          <button onClick={() => setShown(null)}>I have kept it</button>
        </div>
      )}
    </>
  );
}

function ProjectChoice({ project, choose }: { readonly project: string; readonly choose: (id: string) => void }) {
  const { value } = useLoaded('', async (signal) => {
    const query = { limit: MOST_PROJECTS, sort: 'title', fields: 'id,title' } as const;
    return (await service.get('/projects', { query, signal })).data.projects;
  });
  return (
    <label>
      For
      <select name="token-project" value={project} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">all sites of the account</option>
        {value?.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
