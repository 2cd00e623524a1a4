import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Schemas } from '../../client.ts';
import { Field } from '../parts/field.tsx';
import { errorSentence, isSignedOut, service } from '../service/service.ts';
import { answerOfPasskey, hasPasskeys } from './passkeys.ts';
import { type ConsoleSession, signedIn } from './session.ts';
import { useLoaded } from '../service/use-loaded.ts';

type Factors = Schemas['SecondFactorChoice'];

interface Proof {
  readonly code?: string;
  readonly passkey?: Schemas['SessionPasskey']['passkey'];
}

interface SignInProps {
  /** The token of a one-time link that the start of the service, or an operator, printed. */
  readonly link: string | null;
  /** The code with which a sign-in through the provider came back. */
  readonly providerCode: string | null;
}

export function SignIn({ link, providerCode }: SignInProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  /** What the service asks for after the password. */
  const [factors, setFactors] = useState<Factors | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Not away from a field in which a person types already.
    const focused = document.activeElement;
    if (!(focused instanceof HTMLInputElement) || focused.closest('[inert]') !== null) first.current?.focus();
  }, [factors !== null]);
  useSignInElsewhere();

  const open = async (ask: () => Promise<{ readonly data: ConsoleSession } | null>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      const answer = await ask();
      if (answer !== null) signedIn(answer.data);
    } catch (error) {
      const asked = factorsOf(error);
      if (asked !== null) setFactors(asked);
      setProblem(asked !== null && factors === null ? null : errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  const send = (proof: Proof): Promise<void> =>
    open(() =>
      link === null
        ? service.post('/session', { body: { email, password, ...proof } })
        : service.post('/session/link', { body: { link, ...proof } }),
    );
  const sendPasskey = async (): Promise<void> => {
    const answer = factors?.passkey == null ? null : await answerOfPasskey(factors.passkey);
    // Cast: what the browser answers is what the service asked for.
    if (answer !== null) await send({ passkey: answer as Schemas['SessionPasskey']['passkey'] });
  };
  useEffect(() => {
    if (providerCode !== null) void open(() => service.post('/session/provider', { body: { code: providerCode } }));
    else if (link !== null) void send({});
  }, [link, providerCode]);

  const isPasswordAsked = factors === null && link === null;
  return (
    <main class="sign-in">
      <h1>Watchledger</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(code === '' ? {} : { code });
        }}
      >
        {factors !== null && (
          <SecondFactor factors={factors} isBusy={isBusy} sendPasskey={sendPasskey} code={code} setCode={setCode} first={first} />
        )}
        {factors === null && link !== null && <p>The one-time link is being checked.</p>}
        {isPasswordAsked && <Credentials email={email} setEmail={setEmail} password={password} setPassword={setPassword} first={first} />}
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {(link === null || factors !== null) && (
          <button class={factors?.passkey == null ? 'primary' : ''} aria-disabled={isBusy}>
            Sign in
          </button>
        )}
        {isPasswordAsked && <OtherSignIns open={open} isBusy={isBusy} />}
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

/** Signed in meanwhile in another tab; otherwise the page, with what was typed, stays behind the sign-in. */
function useSignInElsewhere(): void {
  useEffect(() => {
    const look = (): void => {
      if (isSignedOut.value)
        service.get('/session').then(
          ({ data }) => signedIn(data),
          () => undefined,
        );
    };
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, []);
}

function factorsOf(error: unknown): Factors | null {
  if (!(error instanceof ApiError) || error.errorCode !== 'SECOND_FACTOR_NEEDED') return null;
  // Cast: this refusal says with what the account can continue.
  const { secondFactor = { kinds: [], passkey: null } } = error.body as Partial<Schemas['SecondFactorNeeded']>;
  return secondFactor;
}

interface CredentialsProps {
  readonly email: string;
  readonly setEmail: (email: string) => void;
  readonly password: string;
  readonly setPassword: (password: string) => void;
  readonly first: { readonly current: HTMLInputElement | null };
}

function Credentials({ email, setEmail, password, setPassword, first }: CredentialsProps) {
  return (
    <>
      <Field label="E-mail address" type="email" name="email" autocomplete="username" value={email} onChange={setEmail} field={first} />
      <Field label="Password" type="password" name="password" autocomplete="current-password" value={password} onChange={setPassword} />
    </>
  );
}

interface SecondFactorProps {
  readonly factors: Factors;
  readonly isBusy: boolean;
  readonly sendPasskey: () => Promise<void>;
  readonly code: string;
  readonly setCode: (code: string) => void;
  readonly first: { readonly current: HTMLInputElement | null };
}

function SecondFactor({ factors, isBusy, sendPasskey, code, setCode, first }: SecondFactorProps) {
  return (
    <>
      {factors.passkey !== null && hasPasskeys() && (
        <button type="button" class="primary" aria-disabled={isBusy} onClick={() => isBusy || void sendPasskey()}>
          Use your passkey
        </button>
      )}
      <Field
        label="Code of the authenticator, or a recovery code"
        name="code"
        autocomplete="one-time-code"
        value={code}
        onChange={setCode}
        field={first}
      />
    </>
  );
}

interface OtherSignInsProps {
  readonly open: (ask: () => Promise<{ readonly data: ConsoleSession } | null>) => Promise<void>;
  readonly isBusy: boolean;
}

/** Ways to sign in without a password, where there are any. */
function OtherSignIns({ open, isBusy }: OtherSignInsProps) {
  const providers = useLoaded('', async (signal) => (await service.get('/authenticate/providers', { signal })).data.providers);
  const byPasskey = (): Promise<void> =>
    open(async () => {
      const options = await service.post('/authenticate/passkey/options');
      const passkey = await answerOfPasskey(options.data);
      // Cast: what the browser answers is what the service asked for.
      return passkey === null
        ? null
        : service.post('/session/passkey', { body: { passkey: passkey as Schemas['SessionPasskey']['passkey'] } });
    });
  // When the session ended while something was typed, the page stays as it is, and the provider gets a tab of its own.
  const target = isSignedOut.value ? '_blank' : undefined;
  return (
    <>
      {hasPasskeys() && (
        <button type="button" aria-disabled={isBusy} onClick={() => void byPasskey()}>
          Sign in with a passkey
        </button>
      )}
      {providers.value?.map(({ name, path }) => (
        <a key={path} class="button" href={`${path}?returnTo=${encodeURIComponent(location.pathname + location.search)}`} target={target}>
          Sign in with {name}
        </a>
      ))}
    </>
  );
}
