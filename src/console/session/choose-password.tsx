import { useState } from 'preact/hooks';
import { Field } from '../parts/field.tsx';
import { errorSentence, service } from '../service/service.ts';
import { signedIn } from './session.ts';

/** After a sign-in by a one-time link: the only page until the account has a password of its own. */
export function ChoosePassword() {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    try {
      signedIn((await service.post('/session/password', { body: { password } })).data);
    } catch (error) {
      setProblem(errorSentence(error));
    }
  };
  return (
    <main class="sign-in">
      <h1>Choose a password</h1>
      <p>The link worked once. With a password you can sign in again.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label="Password, at least 12 characters"
          type="password"
          name="new-password"
          autocomplete="new-password"
          minLength={12}
          value={password}
          onChange={setPassword}
        />
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button class="primary">Save the password</button>
      </form>
    </main>
  );
}
