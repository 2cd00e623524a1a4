import { shownInstant } from '../frame/address.ts';
import { rememberTitle, useTitle } from '../frame/titles.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { PageState } from '../parts/states.tsx';
import { nothingAddedWords, readOnlyWords } from '../parts/read-only-words.ts';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { type CheckDraft, hasSecrets } from './draft.ts';
import { PastVerdicts } from './past-verdicts.tsx';
import { RequestFields } from './request-fields.tsx';
import { GroupRules, RuleFields } from './rule-fields.tsx';
import { TriedPage } from './tried-page.tsx';
import { type CheckForm, type Conflict, type LoadedCheck, useCheckForm } from './use-check-form.ts';
import { type TriedDraft, useTrial } from './use-trial.ts';
import { everyText, shortOf } from '../time/instants.ts';
import { serverNow } from '../time/server-clock.ts';
import type { Schemas } from '../../client.ts';

/** `testId` is `new` for a check that does not exist yet. */
export function Editor({ id, testId }: { readonly id: string; readonly testId: string }) {
  const isNew = testId === 'new';
  const { value, error, reload } = useLoaded(`${testId} ${String(shownInstant.value)}`, async (signal): Promise<LoadedCheck> => {
    const [project, groups, test] = await Promise.all([
      service.get('/project/{id}', { path: { id }, signal }),
      service.list('/project/{id}/areas', { path: { id }, query: asOfShown(), signal }).all(),
      isNew ? null : service.get('/test/{id}', { path: { id: testId }, query: asOfShown(), signal }),
    ]);
    rememberTitle(id, project.data.title);
    return { test: test?.data ?? null, etag: test?.etag ?? null, mayEdit: project.data.permissions.editTests, groups };
  });
  if (value === undefined) return <PageState what="The check" error={error} retry={reload} />;
  return <CheckPage key={`${testId} ${String(shownInstant.value)}`} projectId={id} loaded={value} />;
}

function CheckPage({ projectId, loaded }: { readonly projectId: string; readonly loaded: LoadedCheck }) {
  const form = useCheckForm(projectId, loaded);
  const { test, draft, isReadOnly, sentence } = form;
  const tried = useTrial({ projectId, draft, type: test?.type ?? null, isOn: !isReadOnly });
  const title = test === null ? 'A new check' : draft.name === '' ? draft.url : draft.name;
  useTitle(title);
  if (test === null && isReadOnly)
    return (
      <main class="page">
        <h1>{title}</h1>
        <p class="soft">{nothingAddedWords('checks')}</p>
      </main>
    );
  return (
    <main class="page">
      <h1>{title}</h1>
      <p class="soft">{stateWords(form)}</p>
      {form.isRestored && sentence !== '' && (
        <p role="status">
          What you typed before is here again.{' '}
          <button class="quiet inline" onClick={form.giveUp}>
            Begin anew
          </button>
        </p>
      )}
      <div class="editor">
        <Fields form={form} groups={loaded.groups} tried={tried} title={title} />
        {!isReadOnly && (
          <div>
            <TriedPage projectId={projectId} testId={test?.id ?? null} draft={draft} tried={tried} />
            {hasSecrets(draft) && (
              <p class="soft">Trials are made without the saved values of headers and body, which only the service knows.</p>
            )}
            {test !== null && <PastVerdicts projectId={projectId} testId={test.id} draft={draft} />}
          </div>
        )}
      </div>
    </main>
  );
}

function stateWords({ isReadOnly, isSaved, sentence }: CheckForm): string {
  if (isReadOnly) return readOnlyWords();
  const state = isSaved ? 'Saved.' : sentence === '' ? 'Nothing has changed.' : 'Nothing is saved yet.';
  return `Changes are tried against the live page as you type. ${state}`;
}

interface FieldsProps {
  readonly form: CheckForm;
  readonly groups: LoadedCheck['groups'];
  readonly tried: TriedDraft;
  readonly title: string;
}

function Fields({ form, groups, tried, title }: FieldsProps) {
  const { test, draft, isReadOnly, sentence, problem, conflict, edit } = form;
  const judged = tried.result?.findings?.rules ?? [];
  const ofGroup = judged.filter(({ owner }) => owner === 'group');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (sentence !== '') void form.save();
      }}
    >
      <CheckFields draft={draft} groups={groups} isReadOnly={isReadOnly} onChange={edit} />
      <RuleFields
        id="rules"
        title="Rules"
        hint="the check passes when all hold"
        rules={draft.rules}
        judged={isReadOnly ? null : judged}
        isTrying={tried.isTrying}
        isReadOnly={isReadOnly}
        onChange={(rules) => edit({ rules })}
      />
      {ofGroup.length > 0 && <GroupRules judged={ofGroup} />}
      <RequestFields
        request={draft.request}
        isReadOnly={isReadOnly}
        onChange={(changes) => edit({ request: { ...draft.request, ...changes } })}
      />
      {conflict !== null && <ConflictNote conflict={conflict} takeTheirs={form.takeTheirs} saveOver={() => void form.saveOver()} />}
      {!isReadOnly && (
        <div class="actions">
          <button class="primary" aria-disabled={sentence === ''}>
            Save
          </button>
          <span role="status" class={problem === null ? 'soft' : 'problem'}>
            {problem ?? sentence}
          </span>
        </div>
      )}
      {!isReadOnly && test !== null && (
        <p class="section">
          <DeleteButton
            what={`the check “${title}”`}
            consequence="Its history stays, and the site is no longer judged by it."
            run={form.remove}
          />
        </p>
      )}
    </form>
  );
}

interface ConflictNoteProps {
  readonly conflict: Conflict;
  readonly takeTheirs: () => void;
  readonly saveOver: () => void;
}

/** Shows what changed meanwhile; what was typed stays in the form until the person decides. */
function ConflictNote({ conflict: { changes }, takeTheirs, saveOver }: ConflictNoteProps) {
  return (
    <div class="conflict" role="alert">
      <p>
        <strong>The check was changed meanwhile.</strong> What you typed is kept.
      </p>
      <ul>
        {changes.map(({ id, summary, actor, recordedAt }) => (
          <li key={id}>
            {actor.name ?? actor.kind}, {shortOf(Date.parse(recordedAt), serverNow())}: {summary}
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={saveOver}>
          Save mine over it
        </button>
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
      </div>
    </div>
  );
}

interface CheckFieldsProps {
  readonly draft: CheckDraft;
  readonly groups: readonly Schemas['Area'][];
  readonly isReadOnly: boolean;
  readonly onChange: (changes: Partial<CheckDraft>) => void;
}

/** What is checked, in which group, and what people should know about it. */
function CheckFields({ draft, groups, isReadOnly, onChange }: CheckFieldsProps) {
  return (
    <fieldset class="fields" disabled={isReadOnly}>
      <legend class="hidden">Check</legend>
      <label>
        Name
        <input name="name" value={draft.name} onInput={(event) => onChange({ name: event.currentTarget.value })} />
      </label>
      <label>
        Address, or a path of the site
        <input
          name="url"
          class="mono"
          spellcheck={false}
          value={draft.url}
          onInput={(event) => onChange({ url: event.currentTarget.value })}
          required
        />
      </label>
      {(groups.length > 0 || draft.areaId !== '') && (
        <label>
          Group
          <select name="group" value={draft.areaId} onChange={(event) => onChange({ areaId: event.currentTarget.value })}>
            {draft.areaId === '' && <option value="">the first group of the site</option>}
            {groups.map(({ id, name, period }) => (
              <option key={id} value={id}>
                {name}
                {period === 'true' ? '' : period === 'false' ? ', only when started' : `, ${everyText(period)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Note
        <input name="notice" value={draft.notice} onInput={(event) => onChange({ notice: event.currentTarget.value })} />
      </label>
      <label class="switch">
        <input type="checkbox" checked={draft.enabled} onChange={(event) => onChange({ enabled: event.currentTarget.checked })} /> Runs on
        schedule
      </label>
    </fieldset>
  );
}
