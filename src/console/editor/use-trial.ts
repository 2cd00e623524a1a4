import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { errorSentence, service } from '../service/service.ts';
import { type CheckDraft, rulesOf } from './draft.ts';

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
  /** Of a saved check: its other settings are tried with it. */
  readonly test: Schemas['Test'] | null;
  readonly isOn: boolean;
}

/** Tries what is typed against the live page, again whenever it changes. Nothing is stored. */
export function useTrial({ projectId, draft, test, isOn }: Tried): TriedDraft {
  const [tried, setTried] = useState<TriedDraft>({ result: null, problem: null, isTrying: false });
  const rules = rulesOf(draft);
  useEffect(() => {
    if (!isOn || draft.url === '') return undefined;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      setTried((before) => ({ ...before, isTrying: true }));
      const of = test === null ? {} : { options: test.options, type: test.type, ...(test.areaId !== '' && { areaId: test.areaId }) };
      const body = { url: draft.url, rules: [...rules], page: true, ...of };
      service.post('/project/{id}/try', { path: { id: projectId }, body, signal: aborter.signal }).then(
        ({ data }) => !aborter.signal.aborted && setTried({ result: data, problem: null, isTrying: false }),
        (error: unknown) => !aborter.signal.aborted && setTried({ result: null, problem: errorSentence(error), isTrying: false }),
      );
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [draft.url, JSON.stringify(rules), isOn]);
  return tried;
}
