import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client.ts';
import { Field } from '../parts/field.tsx';
import { errorSentence, service } from '../service/service.ts';
import { type ConsoleSession, signedIn } from './session.ts';

/** The second factor that the service asks for after the password. */
interface SecondFactor {
  readonly isNeeded: boolean;
}

/** `link`: of a one-time link that the start of the service, or an operator, printed. */
export function SignIn({ link }: { readonly link: string | null }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [factor, setFactor] = useState<SecondFactor>({ isNeeded: false });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), [factor.isNeeded]);

  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    const given = code === '' ? {} : { code };
    try {
      const answer: { readonly data: ConsoleSession } =
        link === null
          ? await service.post('/session', { body: { email, password, ...given } })
          : await service.post('/session/link', { body: { link, ...given } });
      signedIn(answer.data);
    } catch (error) {
      const isFactorNeeded = error instanceof ApiError && error.errorCode === 'SECOND_FACTOR_NEEDED';
      if (isFactorNeeded) setFactor({ isNeeded: true });
      setProblem(isFactorNeeded && code === '' ? null : errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    if (link !== null) void submit();
  }, [link]);

  return (
    <main class="sign-in">
      <h1>Watchledger</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {factor.isNeeded && (
          <Field
            label="Code of the authenticator, or a recovery code"
            name="code"
            autocomplete="one-time-code"
            value={code}
            onChange={setCode}
            field={first}
          />
        )}
        {!factor.isNeeded && link !== null && <p>The one-time link is being checked.</p>}
        {!factor.isNeeded && link === null && (
          <>
            <Field
              label="E-mail address"
              type="email"
              name="email"
              autocomplete="username"
              value={email}
              onChange={setEmail}
              field={first}
            />
            <Field
              label="Password"
              type="password"
              name="password"
              autocomplete="current-password"
              value={password}
              onChange={setPassword}
            />
          </>
        )}
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {(link === null || factor.isNeeded) && (
          <button class="primary" disabled={isBusy}>
            Sign in
          </button>
        )}
        {link !== null && problem !== null && (
          <p>
            A link works once. <a href="/console/">Sign in with a password</a>, or make another one with{' '}
            <code>watchledger accounts link</code>.
          </p>
        )}
      </form>
    </main>
  );
}
