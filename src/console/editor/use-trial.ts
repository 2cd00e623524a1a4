import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { errorSentence, service } from '../service/service.ts';
import { type CheckDraft, rulesOf, triedOptionsOf } from './draft.ts';

export interface TriedDraft {
  readonly result: Schemas['TrialResult'] | null;
  readonly problem: string | null;
  readonly isTrying: boolean;
}

/** A person has stopped typing for a moment. */
const SETTLED_MS = 700;

interface Tried {
  readonly projectId: string;
  readonly draft: CheckDraft;
  /** The type of a saved check; null for a new one. */
  readonly type: Schemas['Test']['type'] | null;
  readonly isOn: boolean;
}

/** Tries what is typed against the live page, again whenever it changes. Nothing is stored. */
export function useTrial({ projectId, draft, type, isOn }: Tried): TriedDraft {
  const [tried, setTried] = useState<TriedDraft>({ result: null, problem: null, isTrying: false });
  const rules = rulesOf(draft);
  const options = triedOptionsOf(draft);
  useEffect(() => {
    if (!isOn || draft.url === '') return undefined;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      setTried((before) => ({ ...before, isTrying: true }));
      const group = draft.areaId === '' ? {} : { areaId: draft.areaId };
      const body = { url: draft.url, rules: [...rules], options, page: true, ...group, ...(type !== null && { type }) };
      service.post('/project/{id}/try', { path: { id: projectId }, body, signal: aborter.signal }).then(
        ({ data }) => !aborter.signal.aborted && setTried({ result: data, problem: null, isTrying: false }),
        (error: unknown) => !aborter.signal.aborted && setTried({ result: null, problem: errorSentence(error), isTrying: false }),
      );
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [draft.url, draft.areaId, JSON.stringify([rules, options]), isOn]);
  return tried;
}
