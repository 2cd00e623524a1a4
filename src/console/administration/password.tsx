import { useState } from 'preact/hooks';
import { errorSentence, service } from '../service/service.ts';

/** `changed`: every other session and token has ended. */
export function Password({ changed }: { readonly changed: () => void }) {
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const [done, setDone] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    setProblem(null);
    setDone(false);
    try {
      await service.post('/account/password', { body: { current, new: wanted } });
      setCurrent('');
      setWanted('');
      setDone(true);
      changed();
    } catch (error) {
      setProblem(errorSentence(error));
    }
  };
  return (
    <section class="section" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p class="soft">A new password ends every other session and token of the account.</p>
      <form
        class="add-site"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          Current password
          <input
            type="password"
            name="current-password"
            autocomplete="current-password"
            value={current}
            onInput={(event) => setCurrent(event.currentTarget.value)}
            required
          />
        </label>
        <label>
          New password
          <input
            type="password"
            name="new-password"
            autocomplete="new-password"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
            required
          />
        </label>
        <button>Change the password</button>
        {done && <p role="status">The password is changed. Every other session and token has ended.</p>}
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </section>
  );
}
