import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client.ts';
import { errorSentence } from '../service/service.ts';

/** What proves who acts, where the last sign-in is too long ago. */
export interface Confirmation {
  readonly password?: string;
}

interface OpenedFormProps {
  /** The label of the button that opens it. */
  readonly label: string;
  /** For screen readers, where several buttons have the same label. */
  readonly about?: string;
  /** The label of the button that sends it. */
  readonly submit: string;
  readonly isOpenAtFirst?: boolean;
  /** Sets the fields to what is true now. */
  readonly opened?: () => void;
  /** Answers with what came of it; undefined where the page shows it. */
  readonly save: (confirmation: Confirmation) => Promise<string | undefined>;
  readonly children: ComponentChildren;
}

/** A form behind a button: it stays open while it is refused, and asks for the password where that is missing. */
export function OpenedForm({ label, about, submit, isOpenAtFirst = false, opened, save, children }: OpenedFormProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  const [password, setPassword] = useState<string | null>(null);
  const { form, opener } = useFormFocus(isOpen, isOpenAtFirst);
  if (!isOpen)
    return (
      <>
        <button
          ref={opener}
          class="quiet inline"
          onClick={() => {
            opened?.();
            setDone(undefined);
            setProblem(null);
            setOpen(true);
          }}
        >
          {label}
          {about !== undefined && <span class="hidden"> {about}</span>}
        </button>
        {done !== undefined && <p role="status">{done}</p>}
      </>
    );
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      setDone(await save(password === null ? {} : { password }));
      setPassword(null);
      setOpen(false);
    } catch (error) {
      if (error instanceof ApiError && error.errorCode === 'RECENT_SIGN_IN_NEEDED') setPassword(password ?? '');
      setProblem(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      class="fields opened"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      {password !== null && (
        <label>
          Your password
          <input
            type="password"
            name="own-password"
            autocomplete="current-password"
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
            required
          />
        </label>
      )}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="actions tight">
        <button class="primary" aria-disabled={isBusy}>
          {submit}
        </button>
        <button type="button" onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The focus goes to the first field of a form that is opened, and back to its button: with its first frame, before anything is typed. */
function useFormFocus(isOpen: boolean, isOpenAtFirst: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  /** Then the focus stays where it is; a form that is open at first follows on another one. */
  const isUntouched = useRef(!isOpenAtFirst);
  useLayoutEffect(() => {
    const first = isOpen ? form.current?.querySelector<HTMLElement>('input, select, textarea, button') : opener.current;
    if (!isUntouched.current) first?.focus();
    isUntouched.current = false;
  }, [isOpen]);
  return { form, opener };
}
