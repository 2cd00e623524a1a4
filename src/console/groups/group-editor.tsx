import { useState } from 'preact/hooks';
import { ApiError, type Schemas } from '../../client.ts';
import { RuleFields } from '../editor/rule-fields.tsx';
import { goTo, hrefOf, shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { rememberTitle, useTitle } from '../frame/titles.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { PageState } from '../parts/states.tsx';
import { nothingAddedWords, readOnlyWords } from '../parts/read-only-words.ts';
import { asOfShown, errorSentence, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { emptyGroup, groupChanges, type GroupDraft, groupDraftOf, groupSentence } from './group-draft.ts';

type Group = Schemas['Area'];

const PERIODS: Readonly<Record<Group['period'], string>> = {
  true: 'as often as the site',
  '5 minutes': 'every 5 minutes',
  '30 minutes': 'every 30 minutes',
  '1 hour': 'every hour',
  '8 hours': 'every 8 hours',
  '1 day': 'every day',
  '7 days': 'every 7 days',
  false: 'only when started',
};

interface Loaded {
  readonly group: Group | null;
  readonly etag: string | null;
  readonly mayEdit: boolean;
  readonly checks: readonly Schemas['Test'][];
}

/** Rules and timetable that checks share. `groupId` is `new` for a group that does not exist yet. */
export function GroupEditor({ id, groupId }: { readonly id: string; readonly groupId: string }) {
  const { value, error, reload } = useLoaded(`${groupId} ${String(shownInstant.value)}`, async (signal): Promise<Loaded> => {
    const [project, tests, group] = await Promise.all([
      service.get('/project/{id}', { path: { id }, signal }),
      service.list('/project/{id}/tests', { path: { id }, query: asOfShown(), signal }).all(),
      groupId === 'new' ? null : service.get('/area/{id}', { path: { id: groupId }, query: asOfShown(), signal }),
    ]);
    rememberTitle(id, project.data.title);
    const checks = tests.filter(({ areaId }) => areaId === groupId);
    return { group: group?.data ?? null, etag: group?.etag ?? null, mayEdit: project.data.permissions.editTests, checks };
  });
  if (value === undefined) return <PageState what="The group" error={error} retry={reload} />;
  return <GroupForm key={`${groupId} ${value.etag ?? ''}`} projectId={id} loaded={value} reload={reload} />;
}

interface GroupFormProps {
  readonly projectId: string;
  readonly loaded: Loaded;
  readonly reload: () => void;
}

function GroupForm({ projectId, loaded: { group, etag, mayEdit, checks }, reload }: GroupFormProps) {
  const saved = group === null ? emptyGroup : groupDraftOf(group);
  const [draft, setDraft] = useState<GroupDraft>(saved);
  const [problem, setProblem] = useState<string | null>(null);
  const isReadOnly = shownInstant.value !== null || !mayEdit;
  const sentence = group === null ? 'Saving makes this group.' : groupSentence(saved, draft);
  const save = async (): Promise<void> => {
    setProblem(null);
    try {
      if (group === null) {
        const { name = draft.name, period, rules } = groupChanges(emptyGroup, draft);
        const body = { name: name ?? '', ...(period != null && { period }), ...(rules != null && { rules }) };
        const { data } = await service.post('/project/{id}/areas', { path: { id: projectId }, body });
        goTo(hrefOf(['projects', projectId, 'groups', data.id]), { replace: true });
        return;
      }
      await service.patch('/area/{id}', { path: { id: group.id }, body: groupChanges(saved, draft), ifMatch: etag ?? '*' });
      reload();
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 412;
      setProblem(
        isConflict ? 'The group was changed meanwhile. What you typed is kept: open it in another tab to compare.' : errorSentence(error),
      );
    }
  };
  const title = group === null ? 'A new group' : group.name;
  useTitle(title);
  const remove = async (id: string): Promise<void> => {
    await service.delete('/area/{id}', { path: { id } });
    goTo(hrefOf(['projects', projectId]));
  };
  if (group === null && isReadOnly)
    return (
      <main class="page">
        <h1>{title}</h1>
        <p class="soft">{nothingAddedWords('groups')}</p>
      </main>
    );
  return (
    <main class="page">
      <h1>{title}</h1>
      <p class="soft">
        {isReadOnly ? readOnlyWords() : 'Its rules hold for each of its checks, beside their own. Open a check to try them.'}
      </p>
      <form
        class="fields medium"
        onSubmit={(event) => {
          event.preventDefault();
          if (sentence !== '') void save();
        }}
      >
        <Fields draft={draft} isReadOnly={isReadOnly} onChange={setDraft} />
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
      </form>
      <GroupChecks projectId={projectId} checks={checks} />
      {!isReadOnly && group !== null && (
        <p class="section">
          <DeleteButton what={`the group “${group.name}”`} consequence={checksConsequence(checks.length)} run={() => remove(group.id)} />
        </p>
      )}
    </main>
  );
}

function checksConsequence(count: number): string {
  if (count === 0) return 'It has no checks.';
  return count === 1
    ? 'Its check is deleted with it. The history of the check stays.'
    : `Its ${String(count)} checks are deleted with it. Their history stays.`;
}

interface FieldsProps {
  readonly draft: GroupDraft;
  readonly isReadOnly: boolean;
  readonly onChange: (draft: GroupDraft) => void;
}

function Fields({ draft, isReadOnly, onChange }: FieldsProps) {
  return (
    <>
      <fieldset class="fields" disabled={isReadOnly}>
        <legend class="hidden">Group</legend>
        <label>
          Name
          <input
            name="group-name"
            value={draft.name}
            onInput={(event) => onChange({ ...draft, name: event.currentTarget.value })}
            required
          />
        </label>
        <label>
          Its checks run
          <select
            name="group-period"
            value={draft.period}
            onChange={(event) => onChange({ ...draft, period: event.currentTarget.value as Group['period'] })}
          >
            {Object.entries(PERIODS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      {draft.blocks.map((rules, index) => (
        <RuleFields
          key={index}
          id={`block-${String(index)}`}
          title={draft.blocks.length === 1 ? 'Rules' : `Rules, block ${String(index + 1)}`}
          hint="each of its checks passes when all hold"
          rules={rules}
          judged={null}
          isTrying={false}
          isReadOnly={isReadOnly}
          onChange={(changed) => onChange({ ...draft, blocks: draft.blocks.map((block, at) => (at === index ? changed : block)) })}
        />
      ))}
    </>
  );
}

interface GroupChecksProps {
  readonly projectId: string;
  readonly checks: Loaded['checks'];
}

function GroupChecks({ projectId, checks }: GroupChecksProps) {
  return (
    <section class="section" aria-labelledby="group-checks">
      <h2 id="group-checks">Its checks</h2>
      {checks.length === 0 && <p class="soft">None yet: choose the group in a check.</p>}
      <ul class="rows-list">
        {checks.map(({ id, name, url }) => (
          <li key={id}>
            <Link to={['projects', projectId, 'checks', id]}>{name === '' ? url : name}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
