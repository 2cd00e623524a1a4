import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Schemas } from '../../client.ts';
import { goTo, hrefOf, shownInstant } from '../frame/address.ts';
import { rememberTitle } from '../frame/titles.ts';
import { Source } from '../event/source.tsx';
import { isWholePage } from '../event/source-lines.ts';
import { Failed } from '../parts/states.tsx';
import { asOfShown, errorSentence, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { changesSentence, type CheckDraft, draftOf, emptyDraft, rulesOf } from './draft.ts';
import { type Conflict, ConflictNote } from './conflict.tsx';
import { PastVerdicts } from './past-verdicts.tsx';
import { RuleFields } from './rule-fields.tsx';
import { type TriedDraft, useTrial } from './use-trial.ts';

type Test = Schemas['Test'];

interface Loaded {
  readonly test: Test | null;
  readonly etag: string | null;
  readonly mayEdit: boolean;
}

/** `testId` is `new` for a check that does not exist yet. */
export function Editor({ id, testId }: { readonly id: string; readonly testId: string }) {
  const isNew = testId === 'new';
  const { value, error, reload } = useLoaded(`${testId} ${String(shownInstant.value)}`, async (signal): Promise<Loaded> => {
    const [project, test] = await Promise.all([
      service.get('/project/{id}', { path: { id }, signal }),
      isNew ? null : service.get('/test/{id}', { path: { id: testId }, query: asOfShown(), signal }),
    ]);
    rememberTitle(id, project.data.title);
    return { test: test?.data ?? null, etag: test?.etag ?? null, mayEdit: project.data.permissions.editTests };
  });
  if (value === undefined)
    return error === undefined ? <main class="page" aria-busy="true" /> : <Failed what="The check" error={error} retry={reload} />;
  return <CheckForm key={`${testId} ${String(shownInstant.value)}`} projectId={id} loaded={value} />;
}

function CheckForm({ projectId, loaded }: { readonly projectId: string; readonly loaded: Loaded }) {
  const [{ test, etag }, setSaved] = useState(loaded);
  const saved = test === null ? emptyDraft : draftOf(test);
  const [draft, setDraft] = useState<CheckDraft>(saved);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaved, setIsSaved] = useState(false);
  const isReadOnly = shownInstant.value !== null || !loaded.mayEdit;
  const tried = useTrial({ projectId, draft, test, isOn: !isReadOnly });
  const sentence = test === null ? 'Saving makes this check.' : changesSentence(saved, draft);
  const edit = (changes: Partial<CheckDraft>): void => {
    setDraft({ ...draft, ...changes });
    setIsSaved(false);
  };
  useEffect(() => {
    // What was typed is not lost by a closed tab without a question.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (sentence === '' || test === null) return undefined;
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [sentence]);

  const save = async (over: string | null): Promise<void> => {
    setProblem(null);
    const body = { name: draft.name, url: draft.url, enabled: draft.enabled, rules: [...rulesOf(draft)] };
    try {
      if (test === null) {
        const made = await service.post('/project/{id}/tests', { path: { id: projectId }, body });
        goTo(hrefOf(['projects', projectId, 'checks', made.data.id]), { replace: true });
        return;
      }
      await service.patch('/test/{id}', { path: { id: test.id }, body, ifMatch: over ?? etag ?? '*' });
      const now = await service.get('/test/{id}', { path: { id: test.id } });
      setSaved({ ...loaded, test: now.data, etag: now.etag });
      setConflict(null);
      setIsSaved(true);
    } catch (error) {
      if (error instanceof ApiError && error.status === 412 && test !== null) setConflict(await conflictOf(test.id, error));
      else setProblem(errorSentence(error));
    }
  };

  return (
    <main class="page">
      <h1>{test === null ? 'A new check' : draft.name === '' ? draft.url : draft.name}</h1>
      <p class="soft">
        {isReadOnly
          ? 'As it is; nothing can be changed here.'
          : `Changes are tried against the live page as you type. ${isSaved ? 'Saved.' : sentence === '' ? 'Nothing has changed.' : 'Nothing is saved yet.'}`}
      </p>
      <div class="editor">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save(null);
          }}
        >
          <fieldset class="fields" disabled={isReadOnly}>
            <legend class="hidden">Check</legend>
            <label>
              Name
              <input name="name" value={draft.name} onInput={(event) => edit({ name: event.currentTarget.value })} />
            </label>
            <label>
              Address, or a path of the site
              <input
                name="url"
                class="mono"
                spellcheck={false}
                value={draft.url}
                onInput={(event) => edit({ url: event.currentTarget.value })}
                required
              />
            </label>
            <label class="switch">
              <input type="checkbox" checked={draft.enabled} onChange={(event) => edit({ enabled: event.currentTarget.checked })} /> Runs on
              schedule
            </label>
          </fieldset>
          <RuleFields
            draft={draft}
            judged={tried.result?.findings?.rules ?? []}
            isTrying={tried.isTrying}
            isReadOnly={isReadOnly}
            onChange={(rules) => edit({ rules })}
          />
          {conflict !== null && (
            <ConflictNote
              conflict={conflict}
              takeTheirs={() => {
                setSaved({ ...loaded, test: conflict.theirs, etag: conflict.etag });
                setDraft(draftOf(conflict.theirs));
                setConflict(null);
              }}
              saveOver={() => void save(conflict.etag)}
            />
          )}
          {!isReadOnly && (
            <div class="actions">
              <button class="primary" disabled={sentence === ''}>
                Save
              </button>
              <span role="status" class={problem === null ? 'soft' : 'problem'}>
                {problem ?? sentence}
              </span>
            </div>
          )}
        </form>
        <div>
          <LivePage tried={tried} isReadOnly={isReadOnly} />
          {test !== null && !isReadOnly && <PastVerdicts testId={test.id} draft={draft} />}
        </div>
      </div>
    </main>
  );
}

async function conflictOf(testId: string, error: ApiError): Promise<Conflict> {
  const theirs = await service.get('/test/{id}', { path: { id: testId } });
  // Cast: the body of this refusal has what has changed.
  const { changes = [] } = error.body as { readonly changes?: Conflict['changes'] };
  return { changes, theirs: theirs.data, etag: theirs.etag };
}

function LivePage({ tried: { result, problem, isTrying }, isReadOnly }: { readonly tried: TriedDraft; readonly isReadOnly: boolean }) {
  if (isReadOnly) return null;
  const findings = result?.findings;
  const size = findings?.page?.length ?? 0;
  const marks =
    findings?.rules.flatMap(({ bytes, result: of }) => (bytes === null || isWholePage(bytes, size) ? [] : [{ ...bytes, result: of }])) ??
    [];
  const status = result === null ? '' : `${result.response.httpStatus} in ${(result.duration * 1000).toFixed(0)} ms`;
  return (
    <div class="sheet" aria-busy={isTrying}>
      <div class="sheet-head">
        <strong>Now</strong>
        <span class="soft">{isTrying ? 'fetching …' : status}</span>
      </div>
      {problem !== null && (
        <p class="sheet-note problem" role="alert">
          {problem}
        </p>
      )}
      {result !== null && result.failures.length > 0 && findings?.page == null && <p class="sheet-note problem">{result.failures[0]}</p>}
      {findings?.page != null && <Source text={findings.page} marks={marks} />}
      {result === null && problem === null && <p class="sheet-note soft">The page is fetched when there is an address.</p>}
    </div>
  );
}
