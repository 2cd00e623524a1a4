import { useState } from 'preact/hooks';
import { goTo, hrefOf, shownInstant } from '../frame/address.ts';
import { useTitle } from '../frame/titles.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { PageState } from '../parts/states.tsx';
import { asOfShown, errorSentence, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { pageBodyOf, pageDraftOf, emptyPage, type PageDraft, slugOf, type StatusPage } from './page-draft.ts';
import { IncidentList } from './incident-list.tsx';
import { ItemFields } from './item-fields.tsx';
import { PageHostNames } from './page-hosts.tsx';
import { useRefusal } from './page-rights.ts';
import { Subscribers } from './subscribers.tsx';

interface LoadedPage {
  readonly page: StatusPage | null;
  readonly etag: string | null;
}

/** `id`: `new` for a page that is being made. */
export function PageEditor({ id }: { readonly id: string }) {
  const { value, error, reload } = useLoaded(`${id} ${String(shownInstant.value)}`, async (signal): Promise<LoadedPage> => {
    if (id === 'new') return { page: null, etag: null };
    const { data, etag } = await service.get('/status-pages/{id}', { path: { id }, query: asOfShown(), signal });
    return { page: data, etag };
  });
  useTitle(id === 'new' ? 'A new status page' : value?.page?.title);
  if (value === undefined) return <PageState what="The status page" error={error} retry={reload} />;
  const { page } = value;
  if (page === null) return <NewPage loaded={value} reload={reload} />;
  const isNow = shownInstant.value === null;
  return (
    <main class="page">
      <h1>{page.title}</h1>
      <p class="soft">
        <a href={page.url}>{page.url}</a>
      </p>
      {!isNow && (
        <p class="soft">
          <a href={`${page.url}?asOf=${new Date(shownInstant.value ?? 0).toISOString()}`}>What outsiders saw at this instant</a>
        </p>
      )}
      <IncidentList page={page} isNow={isNow} />
      {isNow && <Subscribers page={page} />}
      {isNow && <PageForm key={id} loaded={value} reload={reload} />}
      <PageHostNames page={page} isNow={isNow} reload={reload} />
    </main>
  );
}

interface LoadedProps {
  readonly loaded: LoadedPage;
  readonly reload: () => void;
}

function NewPage(props: LoadedProps) {
  const refusal = useRefusal();
  if (refusal.value === undefined) return <PageState what="The status page" error={refusal.error} retry={refusal.reload} />;
  return (
    <main class="page">
      <h1>A new status page</h1>
      <p class="soft">{refusal.value ?? 'Outsiders see it as soon as it is saved.'}</p>
      {refusal.value === null && <PageForm {...props} />}
    </main>
  );
}

function PageForm({ loaded, reload }: LoadedProps) {
  const { page } = loaded;
  const [etag, setEtag] = useState(loaded.etag);
  const [draft, setDraft] = useState<PageDraft>(page === null ? emptyPage : pageDraftOf(page));
  const [status, setStatus] = useState<{ readonly text: string; readonly isProblem: boolean } | null>(null);
  const edit = (change: Partial<PageDraft>): void => {
    setDraft({ ...draft, ...change });
    setStatus(null);
  };
  const save = async (): Promise<void> => {
    try {
      const body = pageBodyOf(draft, page);
      if (page === null) {
        const made = await service.post('/status-pages', { body });
        goTo(hrefOf(['status-pages', made.data.id]), { replace: true });
        return;
      }
      await service.put('/status-pages/{id}', { path: { id: page.id }, body, ifMatch: etag ?? '*' });
      setEtag((await service.get('/status-pages/{id}', { path: { id: page.id } })).etag);
      setStatus({ text: 'Saved.', isProblem: false });
      reload();
    } catch (error) {
      setStatus({ text: errorSentence(error), isProblem: true });
    }
  };
  const remove = async (): Promise<void> => {
    if (page !== null) await service.delete('/status-pages/{id}', { path: { id: page.id } });
    goTo(hrefOf(['status-pages']));
  };
  return (
    <section class="section" aria-labelledby="page-settings">
      <h2 id="page-settings">Settings</h2>
      <form
        class="fields medium"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          Title
          <input
            name="page-title"
            value={draft.title}
            onInput={({ currentTarget: { value } }) =>
              edit({ title: value, ...(page === null && draft.slug === slugOf(draft.title) && { slug: slugOf(value) }) })
            }
            required
          />
        </label>
        <label>
          Address, after /status/
          <input name="page-slug" class="mono" value={draft.slug} onInput={(event) => edit({ slug: event.currentTarget.value })} required />
        </label>
        <ItemFields groups={draft.groups} onChange={(groups) => edit({ groups: [...groups] })} />
        <Access draft={draft} hasPassword={page?.hasPassword === true} edit={edit} />
        <Languages draft={draft} edit={edit} />
        <Texts draft={draft} edit={edit} />
        <div class="actions">
          <button class="primary">Save</button>
          {status !== null && (
            <span role={status.isProblem ? 'alert' : 'status'} class={status.isProblem ? 'problem' : 'soft'}>
              {status.text}
            </span>
          )}
        </div>
      </form>
      {page !== null && (
        <div class="actions">
          <DeleteButton
            what={`the page “${page.title}”`}
            consequence="Its address is unknown from then on, its incidents are shown no longer, and its subscribers hear of nothing."
            run={remove}
          />
        </div>
      )}
    </section>
  );
}

interface PartProps {
  readonly draft: PageDraft;
  readonly edit: (change: Partial<PageDraft>) => void;
}

function Access({ draft, hasPassword, edit }: PartProps & { readonly hasPassword: boolean }) {
  return (
    <>
      <label>
        Who may see it
        <select
          name="page-access"
          value={draft.access}
          onChange={(event) => edit({ access: event.currentTarget.value as PageDraft['access'] })}
        >
          <option value="public">everybody</option>
          <option value="password">who has the password</option>
          <option value="members">members of a site that it shows</option>
        </select>
      </label>
      {draft.access === 'password' && (
        <label>
          {hasPassword ? 'Another password; empty: the one that it has' : 'Password, at least 8 characters'}
          <input
            type="password"
            name="page-password"
            autocomplete="new-password"
            minLength={8}
            value={draft.password}
            onInput={(event) => edit({ password: event.currentTarget.value })}
            required={!hasPassword}
          />
        </label>
      )}
    </>
  );
}

const LANGUAGES = { en: 'English', de: 'German', cs: 'Czech' } as const;

function Languages({ draft, edit }: PartProps) {
  return (
    <fieldset class="choices">
      <legend class="soft">Languages</legend>
      {(Object.entries(LANGUAGES) as ['en' | 'de' | 'cs', string][]).map(([code, name]) => (
        <label key={code} class="switch">
          <input
            type="checkbox"
            checked={draft.languages.includes(code)}
            onChange={({ currentTarget: { checked } }) =>
              edit({ languages: checked ? [...draft.languages, code] : draft.languages.filter((one) => one !== code) })
            }
          />{' '}
          {name}
          {draft.languages.length > 1 && draft.languages[0] === code && ', also where the reader asks for another'}
        </label>
      ))}
    </fieldset>
  );
}

function Texts({ draft, edit }: PartProps) {
  return (
    <>
      <label>
        Text below the state
        <textarea name="page-about" rows={2} value={draft.about} onInput={(event) => edit({ about: event.currentTarget.value })} />
      </label>
      <label>
        Text at the end
        <textarea name="page-footer" rows={2} value={draft.footer} onInput={(event) => edit({ footer: event.currentTarget.value })} />
      </label>
      <label>
        Minutes after which the draft of a failure is published; empty: people publish
        <input
          type="number"
          name="publish-after"
          min={1}
          max={1440}
          value={draft.publishAfterMinutes}
          onInput={(event) => edit({ publishAfterMinutes: event.currentTarget.value })}
        />
      </label>
    </>
  );
}
