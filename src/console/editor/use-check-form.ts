import { effect } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { ApiError, type Schemas } from '../../client.ts';
import { goTo, hrefOf, shownInstant } from '../frame/address.ts';
import { errorSentence, service } from '../service/service.ts';
import { session } from '../session/session.ts';
import {
  changesSentence,
  type CheckDraft,
  draftChanges,
  draftOf,
  emptyDraft,
  keepDraft,
  keepDraftsOf,
  keptDraft,
  optionsOf,
  rulesOf,
} from './draft.ts';

effect(() => {
  // Undefined while it is read, or ends.
  if (session.value !== undefined) keepDraftsOf(session.value?.account.id ?? null);
});

type Test = Schemas['Test'];

export interface LoadedCheck {
  /** Null when it does not exist yet. */
  readonly test: Test | null;
  readonly etag: string | null;
  readonly mayEdit: boolean;
  readonly groups: readonly Schemas['Area'][];
}

/** Another person has saved the check since it was opened. */
export interface Conflict {
  readonly changes: readonly Schemas['UnreadChange'][];
  readonly theirs: Schemas['Test'];
  readonly etag: string | null;
}

export interface CheckForm {
  readonly test: Test | null;
  readonly draft: CheckDraft;
  readonly isReadOnly: boolean;
  /** What saving would change; empty: nothing. */
  readonly sentence: string;
  readonly isSaved: boolean;
  /** What was typed before, and not saved, is here again. */
  readonly isRestored: boolean;
  readonly problem: string | null;
  readonly conflict: Conflict | null;
  readonly edit: (changes: Partial<CheckDraft>) => void;
  readonly giveUp: () => void;
  readonly save: () => Promise<void>;
  readonly saveOver: () => Promise<void>;
  readonly takeTheirs: () => void;
  readonly remove: () => Promise<void>;
}

/** A check while it is edited: what is saved, what is typed, and what another person saved meanwhile. */
export function useCheckForm(projectId: string, loaded: LoadedCheck): CheckForm {
  const [{ test, etag }, setSaved] = useState(loaded);
  const isReadOnly = shownInstant.value !== null || !loaded.mayEdit;
  const key = `${projectId} ${test?.id ?? 'new'}`;
  const saved = test === null ? emptyDraft : draftOf(test);
  const before = isReadOnly ? null : keptDraft(key);
  const [draft, setDraft] = useState<CheckDraft>(before ?? saved);
  const [isRestored, setRestored] = useState(before !== null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaved, setIsSaved] = useState(false);
  const sentence = test === null ? 'Saving makes this check.' : changesSentence(saved, draft);
  useUnsavedQuestion(sentence !== '' && test !== null);
  const settle = (now: Test, tag: string | null): void => {
    keepDraft(key, null);
    setSaved({ ...loaded, test: now, etag: tag });
    setDraft(draftOf(now));
    setConflict(null);
    setRestored(false);
  };
  const write = async (over: string | null): Promise<void> => {
    setProblem(null);
    try {
      if (test === null) {
        const id = await create(projectId, draft);
        keepDraft(key, null);
        goTo(hrefOf(['projects', projectId, 'checks', id]), { replace: true });
        return;
      }
      await service.patch('/test/{id}', { path: { id: test.id }, body: draftChanges(saved, draft), ifMatch: over ?? etag ?? '*' });
      const now = await service.get('/test/{id}', { path: { id: test.id } });
      settle(now.data, now.etag);
      setIsSaved(true);
    } catch (error) {
      if (error instanceof ApiError && error.status === 412 && test !== null) setConflict(await conflictOf(test.id, error));
      else setProblem(errorSentence(error));
    }
  };
  return {
    test,
    draft,
    isReadOnly,
    sentence,
    isSaved,
    isRestored,
    problem,
    conflict,
    edit: (changes) => {
      const next = { ...draft, ...changes };
      setDraft(next);
      keepDraft(key, next);
      setIsSaved(false);
    },
    giveUp: () => {
      setDraft(saved);
      keepDraft(key, null);
      setRestored(false);
    },
    save: () => write(null),
    saveOver: () => write(conflict?.etag ?? null),
    takeTheirs: () => conflict !== null && settle(conflict.theirs, conflict.etag),
    remove: async () => {
      if (test !== null) await service.delete('/test/{id}', { path: { id: test.id } });
      keepDraft(key, null);
      goTo(hrefOf(['projects', projectId]));
    },
  };
}

/** What was typed is not lost by a closed tab without a question. From the frame on that says whether there is something to lose. */
function useUnsavedQuestion(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (!isUnsaved) return undefined;
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}

async function create(projectId: string, { request, areaId, rules, ...rest }: CheckDraft): Promise<string> {
  const body = { ...rest, ...(areaId !== '' && { areaId }), rules: [...rulesOf({ rules })], options: optionsOf({ request }) };
  return (await service.post('/project/{id}/tests', { path: { id: projectId }, body })).data.id;
}

async function conflictOf(testId: string, error: ApiError): Promise<Conflict> {
  const theirs = await service.get('/test/{id}', { path: { id: testId } });
  // Cast: the body of this refusal has what has changed.
  const { changes = [] } = error.body as { readonly changes?: Conflict['changes'] };
  return { changes, theirs: theirs.data, etag: theirs.etag };
}
