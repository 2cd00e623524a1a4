import { useState } from 'preact/hooks';
import { Source } from '../event/source.tsx';
import { isWholePage } from '../event/source-lines.ts';
import type { CheckDraft } from './draft.ts';
import { LastFailure } from './last-failure.tsx';
import type { TriedDraft } from './use-trial.ts';

interface TriedPageProps {
  readonly projectId: string;
  /** Null when the check was not saved yet, and has no kept pages. */
  readonly testId: string | null;
  readonly draft: CheckDraft;
  readonly tried: TriedDraft;
}

/** The page that the rules are tried on: as it is now, or the last one that failed. */
export function TriedPage({ projectId, testId, draft, tried }: TriedPageProps) {
  const [isPast, setPast] = useState(false);
  const { result, isTrying } = tried;
  const status = result === null ? '' : `${result.response.httpStatus} in ${(result.duration * 1000).toFixed(0)} ms`;
  return (
    <div class="sheet" aria-busy={isTrying}>
      <div class="sheet-head" role="tablist" aria-label="Page">
        <button type="button" role="tab" aria-selected={!isPast} onClick={() => setPast(false)}>
          Now
        </button>
        {testId !== null && (
          <button type="button" role="tab" aria-selected={isPast} onClick={() => setPast(true)}>
            Last failing page
          </button>
        )}
        {!isPast && <span class="soft">{isTrying ? 'fetching …' : status}</span>}
      </div>
      {isPast && testId !== null ? <LastFailure projectId={projectId} testId={testId} draft={draft} /> : <LivePage tried={tried} />}
    </div>
  );
}

function LivePage({ tried: { result, problem } }: { readonly tried: TriedDraft }) {
  const findings = result?.findings;
  const size = findings?.page?.length ?? 0;
  const marks =
    findings?.rules.flatMap(({ bytes, result: of }) => (bytes === null || isWholePage(bytes, size) ? [] : [{ ...bytes, result: of }])) ??
    [];
  return (
    <>
      {problem !== null && (
        <p class="sheet-note problem" role="alert">
          {problem}
        </p>
      )}
      {result !== null && result.failures.length > 0 && findings?.page == null && <p class="sheet-note problem">{result.failures[0]}</p>}
      {findings?.page != null && <Source text={findings.page} marks={marks} />}
      {result === null && problem === null && <p class="sheet-note soft">The page is fetched when there is an address.</p>}
    </>
  );
}
