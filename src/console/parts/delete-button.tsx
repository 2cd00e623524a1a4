import { useRef, useState } from 'preact/hooks';
import { errorSentence } from '../service/service.ts';

interface DeleteButtonProps {
  /** What is deleted, with its name: `the check “Cart”`. */
  readonly what: string;
  /** What else that ends. */
  readonly consequence: string;
  readonly run: () => Promise<void>;
}

/** Asks once, because a deletion cannot be undone, and names what it deletes. */
export function DeleteButton({ what, consequence, run }: DeleteButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await run();
    } catch (error) {
      setProblem(errorSentence(error));
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class="quiet inline" onClick={() => dialog.current?.showModal()}>
        Delete {what}
      </button>
      <dialog ref={dialog} class="shortcuts" aria-label={`Delete ${what}`}>
        <p>
          <strong>Delete {what}?</strong> {consequence}
        </p>
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="actions">
          <button type="button" aria-disabled={isBusy} onClick={() => void confirm()}>
            Delete it
          </button>
          {/* It has the focus: pressing Enter twice deletes nothing. */}
          <button type="button" autofocus onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </div>
      </dialog>
    </>
  );
}
