import type { Schemas } from '../../client.ts';
import { isSignedOut, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { answerOfPasskey, hasPasskeys } from './passkeys.ts';
import type { ConsoleSession } from './session.ts';

interface OtherSignInsProps {
  readonly open: (ask: () => Promise<{ readonly data: ConsoleSession } | null>) => Promise<void>;
  readonly isBusy: boolean;
}

/** Ways to sign in without a password, where there are any. */
export function OtherSignIns({ open, isBusy }: OtherSignInsProps) {
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
  // Where the session ended while something was typed, the page stays as it is, and the provider gets a tab of its own.
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
