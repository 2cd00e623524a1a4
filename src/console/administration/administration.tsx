import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { PageState } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';
import { Channels } from './channels.tsx';
import { Deliveries } from './deliveries.tsx';
import { Findings } from './findings.tsx';
import { AccountList } from './account-list.tsx';
import { Backups } from './backups.tsx';
import { Plans } from './plans.tsx';
import { Password } from './password.tsx';
import { SecondFactors } from './second-factors.tsx';
import { Tokens } from './tokens.tsx';

/** What can act for the account, and for people who administer the installation its state. */
export function AdministrationPage() {
  const { value, error, reload } = useLoaded('', (signal) => service.list('/account/tokens', { signal }).all());
  const found = session.value;
  if (value === undefined || found == null) return <PageState what="The account" error={error} retry={reload} />;
  const isNow = shownInstant.value === null;
  const { administer, readAll } = found.rights;
  return (
    <main class="page">
      <h1>{accountSentence(value)}</h1>
      <p class="soft">{[found.account.email, found.account.systemRole ?? `plan ${found.account.plan}`].filter(Boolean).join(' · ')}</p>
      {!isNow && (
        <p class="soft">Messages are shown as of this instant. Sessions, channels and the installation are kept for the present only.</p>
      )}
      {administer && <Findings />}
      <Tokens tokens={value} reload={reload} />
      <Channels />
      <Deliveries />
      <SecondFactors isNow={isNow} />
      {isNow && <Password changed={reload} />}
      {administer && <AccountList />}
      {readAll && <Plans />}
      {administer && <Backups />}
    </main>
  );
}

function accountSentence(tokens: readonly Schemas['PersonalToken'][]): string {
  const sessions = tokens.filter(({ kind }) => kind === 'session').length;
  const others = tokens.length - sessions;
  const signedIn = sessions === 1 ? 'Only this browser is signed in' : `${String(sessions)} browsers are signed in`;
  if (others === 0) return `${signedIn} as you, and no token acts for you.`;
  return `${signedIn} as you, and ${others === 1 ? '1 token acts' : `${String(others)} tokens act`} for you.`;
}
