import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Field } from '../parts/field.tsx';
import { type Confirmation, OpenedForm } from '../parts/opened-form.tsx';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { hasPasskeys, madePasskey } from '../session/passkeys.ts';
import { dayText } from '../time/instants.ts';
import { loadSession, signOut } from '../session/session.ts';

type Factor = Schemas['SecondFactor'];

interface SecondFactorsProps {
  readonly isNow: boolean;
  /** The account has another one, or one less. */
  readonly changed?: () => void;
}

/** What is asked for beside the password. */
export function SecondFactors({ isNow, changed }: SecondFactorsProps) {
  const { value, error, reload } = useLoaded('', async (signal) => (await service.get('/account/second-factors', { signal })).data);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (value === undefined) return error === undefined ? null : <Failed what="Second factors" error={error} retry={reload} />;
  const added = (recoveryCodes: readonly string[] | null): void => {
    if (recoveryCodes !== null) setCodes(recoveryCodes);
    else changed?.();
    reload();
  };
  const { factors, recoveryCodes, required } = value;
  return (
    <section class="section" aria-labelledby="factors">
      <h2 id="factors">
        Second factors {recoveryCodes !== null && <span class="chart-legend">{String(recoveryCodes.left)} recovery codes left</span>}
      </h2>
      {factors.length === 0 && (
        <p class="soft">
          {required ? 'None, and the account must have one.' : 'None: the password alone signs in. Add a passkey or an authenticator.'}
        </p>
      )}
      <ul class="rows-list">
        {factors.map((factor) => (
          <Row key={factor.id} factor={factor} isNow={isNow} reload={reload} />
        ))}
      </ul>
      {codes !== null && (
        <div role="status" class="section">
          <p>Keep these recovery codes; each signs in once in place of a second factor, and they are shown only now.</p>
          <p class="mono">{codes.join('\n')}</p>
          <div class="actions">
            <button
              onClick={() => {
                setCodes(null);
                changed?.();
              }}
            >
              I have kept them
            </button>
          </div>
        </div>
      )}
      {isNow && (
        <div class="actions">
          {hasPasskeys() && <AddPasskey added={added} />}
          <AddAuthenticator added={added} />
        </div>
      )}
    </section>
  );
}

function Row({
  factor: { id, kind, name, created, lastUsed },
  isNow,
  reload,
}: {
  readonly factor: Factor;
  readonly isNow: boolean;
  readonly reload: () => void;
}) {
  const remove = async (): Promise<undefined> => {
    await service.delete('/account/second-factors/{id}', { path: { id } });
    reload();
  };
  return (
    <li class="wrap">
      <span class="grow">
        <strong>{name}</strong> <span class="soft">{kind === 'totp' ? 'authenticator' : 'passkey'}</span>
      </span>
      <span class="soft">
        since {dayText(Date.parse(created))}, {lastUsed === null ? 'never used' : `last used ${dayText(Date.parse(lastUsed))}`}
      </span>
      {isNow && (
        <div class="actions tight">
          <ActionButton label="Remove" about={name} run={remove} />
        </div>
      )}
    </li>
  );
}

interface AddProps {
  readonly added: (recoveryCodes: readonly string[] | null) => void;
}

function AddPasskey({ added }: AddProps) {
  const [name, setName] = useState('');
  const save = async (confirmation: Confirmation): Promise<string | undefined> => {
    const options = await service.post('/account/second-factors/passkeys/options', { body: confirmation });
    const passkey = await madePasskey(options.data);
    if (passkey === null) return 'No passkey was made.';
    // Cast: what the browser made is what the service asked for.
    const body = { name, passkey: passkey as Schemas['NewPasskey']['passkey'] };
    added((await service.post('/account/second-factors/passkeys', { body })).data.recoveryCodes);
    setName('');
    return undefined;
  };
  return (
    <OpenedForm label="Add a passkey" submit="Make the passkey" save={save}>
      <Field label="Name, such as that of this machine" name="passkey-name" autocomplete="off" value={name} onChange={setName} />
    </OpenedForm>
  );
}

function AddAuthenticator({ added }: AddProps) {
  const [begun, setBegun] = useState<Schemas['TotpEnrolment'] | null>(null);
  const [code, setCode] = useState('');
  const begin = async (confirmation: Confirmation): Promise<undefined> => {
    setBegun((await service.post('/account/second-factors/totp', { body: confirmation })).data);
  };
  const confirm = async (): Promise<undefined> => {
    if (begun === null) return;
    const body = { code, name: 'authenticator' };
    added((await service.post('/account/second-factors/totp/{id}/confirm', { path: { id: begun.id }, body })).data.recoveryCodes);
    setBegun(null);
    setCode('');
  };
  if (begun === null)
    return (
      <OpenedForm key="begin" label="Add an authenticator" submit="Show the secret" save={begin}>
        <p class="soft">An app that computes codes from a secret, which is shown next.</p>
      </OpenedForm>
    );
  return (
    <OpenedForm key="confirm" label="Enter its first code" submit="Put it in force" isOpenAtFirst save={confirm}>
      <p>
        Type this secret into the app, or open <a href={begun.uri}>its link</a> on a phone:
      </p>
      <p class="mono">{begun.secret}</p>
      <Field label="Code that the app shows" name="totp-code" autocomplete="one-time-code" value={code} onChange={setCode} />
    </OpenedForm>
  );
}

/** The only page of an account that must have a second factor, until it has one. */
export function FactorNeeded() {
  return (
    <main class="page">
      <h1>Your account needs a second factor.</h1>
      <p class="soft">Its plan or its role asks for one. Until it has one, it can do nothing else.</p>
      <SecondFactors isNow changed={() => void loadSession()} />
      <div class="actions">
        <button class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </main>
  );
}
