import { useState } from 'preact/hooks';
import { Glyph } from '../parts/glyph.tsx';
import { errorSentence } from '../service/service.ts';
import type { EventProofSteps } from './proof-steps.ts';

type State =
  | { readonly kind: 'idle' | 'checking' }
  | { readonly kind: 'proven'; readonly proven: EventProofSteps }
  | { readonly kind: 'refused'; readonly reason: string };

/** Verifies the seal of an event by the browser's own computation, and shows the steps. */
export function EventProof({ projectId, eventId }: { readonly projectId: string; readonly eventId: string }) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const verify = async (): Promise<void> => {
    setState({ kind: 'checking' });
    try {
      const { proveEvent } = await import('./proof-steps.ts');
      setState({ kind: 'proven', proven: await proveEvent(projectId, eventId) });
    } catch (error) {
      setState({ kind: 'refused', reason: error instanceof Error && error.name === 'NotVerified' ? error.message : errorSentence(error) });
    }
  };
  return (
    <section class="section" aria-labelledby="proof">
      <h2 id="proof">Proof</h2>
      {state.kind === 'proven' ? (
        <>
          <p>
            <Glyph state="working" /> Verified in this browser: the event is in the sealed log, in this form.
          </p>
          <ol class="soft">
            {state.proven.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <pre class="data" tabIndex={0} aria-label="Checkpoint">
            {state.proven.checkpoint}
          </pre>
          <p class="soft">
            A key that the service itself named proves that nothing contradicts it; compare it with one that you have from elsewhere.
          </p>
        </>
      ) : (
        <p>
          <button onClick={() => state.kind === 'checking' || void verify()} aria-disabled={state.kind === 'checking'}>
            Verify in this browser
          </button>{' '}
          {state.kind === 'refused' && (
            <span class="problem" role="alert">
              {state.reason}
            </span>
          )}
        </p>
      )}
    </section>
  );
}
