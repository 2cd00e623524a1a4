import { useState } from 'preact/hooks';
import { errorSentence } from '../service/service.ts';

interface ActionButtonProps {
  readonly label: string;
  /** For screen readers, where several buttons have the same label. */
  readonly about: string;
  /** Answers with what came of it; undefined where the page shows it. */
  readonly run: () => Promise<string | undefined>;
}

/** A button that changes something; what came of it, or why it was refused, stands beside it. */
export function ActionButton({ label, about, run }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  const start = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setDone(undefined);
    setProblem(null);
    try {
      setDone(await run());
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {/* A button that is disabled loses the focus. */}
      <button aria-disabled={isBusy} onClick={() => void start()}>
        {label}
        <span class="hidden"> {about}</span>
      </button>
      {done !== undefined && <span role="status">{done}</span>}
      {problem !== null && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
