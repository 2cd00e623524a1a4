import { useEffect, useState } from 'preact/hooks';
import { Link } from '../frame/link.tsx';
import { Source } from '../event/source.tsx';
import { isWholePage, missingPage } from '../event/source-lines.ts';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { fullOf } from '../time/instants.ts';
import { type CheckDraft, rulesOf } from './draft.ts';

/** A person has stopped typing for a moment. */
const SETTLED_MS = 700;
/** The run behind the event began a moment before it was recorded. */
const AROUND_MS = 60_000;

interface LastFailureProps {
  readonly projectId: string;
  readonly testId: string;
  readonly draft: CheckDraft;
}

/** The last page that failed, as it was kept, judged by the rules as they are typed. */
export function LastFailure({ projectId, testId, draft }: LastFailureProps) {
  const { value, error, reload } = useLoaded(`${projectId} ${testId}`, async (signal) => {
    const query = { type: ['CheckFailed', 'CheckFailureChanged'], stream: `verdict-${testId}`, limit: 1 };
    const { data } = await service.get('/project/{id}/history', { path: { id: projectId }, query, signal });
    const [event] = data.events;
    if (event === undefined) return null;
    const path = { id: projectId, eventId: event.id };
    const evidence = await service.get('/project/{id}/history/{eventId}/evidence', { path, signal });
    const page = evidence.data.answer?.kept === true;
    const text = page ? (await service.get('/project/{id}/history/{eventId}/evidence/page', { path, signal })).data : null;
    return { event, evidence: evidence.data, text };
  });
  const verdict = useVerdict(testId, draft, value?.evidence.at ?? null);
  if (value === undefined)
    return error === undefined ? (
      <p class="sheet-note soft" aria-busy="true" />
    ) : (
      <Failed what="The last failure" error={error} retry={reload} />
    );
  if (value === null) return <p class="sheet-note soft">The check has not failed.</p>;
  const { event, evidence, text } = value;
  const size = evidence.answer?.size ?? 0;
  const marks = evidence.rules.flatMap(({ bytes, result }) => (bytes === null || isWholePage(bytes, size) ? [] : [{ ...bytes, result }]));
  return (
    <>
      <p class="sheet-note">
        {fullOf(Date.parse(evidence.at))}. {verdict} <Link to={['projects', projectId, 'events', event.id]}>Its evidence</Link>
      </p>
      {text === null ? <p class="sheet-note soft">{missingPage(evidence)}</p> : <Source text={text} marks={marks} />}
    </>
  );
}

/** What the edited rules say of that run, as a sentence. */
function useVerdict(testId: string, draft: CheckDraft, at: string | null): string {
  const [words, setWords] = useState('');
  const rules = rulesOf(draft);
  useEffect(() => {
    if (at === null || rules.length === 0) return undefined;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      const around = (by: number): string => new Date(Date.parse(at) + by).toISOString();
      const body = { rules: [...rules], from: around(-AROUND_MS), to: around(AROUND_MS) };
      service.post('/test/{id}/what-if', { path: { id: testId }, body, signal: aborter.signal }).then(
        ({ data: { judged, verdicts } }) => setWords(judged === 0 ? 'It cannot be judged again.' : verdictWords(verdicts)),
        // What is wrong with the rules stands beside them.
        () => undefined,
      );
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [testId, at, JSON.stringify(rules)]);
  return words;
}

function verdictWords(verdicts: readonly { readonly new: string; readonly failures: readonly string[] }[]): string {
  const failing = verdicts.find(({ new: status }) => status !== 'ok');
  if (failing === undefined) return 'It would pass these rules.';
  return `It would fail these rules${failing.failures[0] === undefined ? '' : `: ${failing.failures[0]}`}.`;
}
