import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { service } from '../service/service.ts';
import { fullOf, shortOf, utcOf } from '../time/instants.ts';
import { NewToken, scopesText } from './new-token.tsx';
import { serverNow } from '../time/server-clock.ts';

type Token = Schemas['PersonalToken'];

interface TokensProps {
  readonly tokens: readonly Token[];
  readonly reload: () => void;
}

/** What can act for the account: browsers, programs that signed in, and personal tokens. */
export function Tokens({ tokens, reload }: TokensProps) {
  return (
    <section class="section" aria-labelledby="tokens">
      <h2 id="tokens">Sessions and tokens</h2>
      <ul class="rows-list">
        {tokens.map((token) => (
          <Row key={token.tid} token={token} reload={reload} />
        ))}
      </ul>
      {shownInstant.value === null && <NewToken made={reload} />}
    </section>
  );
}

function Row({ token, reload }: { readonly token: Token; readonly reload: () => void }) {
  const { tid, kind, name, current, lastUsedAt, lastUsedFrom, created, expiresAt, scopes, projects, addresses, address, userAgent } = token;
  const title = name ?? (kind === 'session' ? 'Console' : 'Sign-in of a program');
  const end = async (): Promise<undefined> => {
    await service.delete('/account/tokens/{tid}', { path: { tid } });
    reload();
  };
  const usage = async (): Promise<string> => {
    const { data } = await service.get('/account/tokens/{tid}/usage', { path: { tid } });
    return data.smallest.length === 0 ? 'It was not used in 90 days.' : `In 90 days it needed to ${scopesText(data.smallest)}.`;
  };
  const limits = [
    scopes === null ? 'may do what the account may' : `may only ${scopesText(scopes)}`,
    ...(projects === null ? [] : [`${String(projects.length)} ${projects.length === 1 ? 'site' : 'sites'}`]),
    ...(addresses === null ? [] : [`from ${addresses.join(', ')}`]),
  ];
  return (
    <li class="wrap">
      <div class="grow">
        <p>
          <strong>{title}</strong> {current && <span class="tag">this one</span>}
        </p>
        {(address !== null || userAgent !== null) && <p class="soft">{[address, userAgent].filter((part) => part !== null).join(' · ')}</p>}
        <p class="soft">
          {limits.join(' · ')} · last used {lastUsedAt === null ? 'never' : <When at={lastUsedAt} />}
          {lastUsedFrom !== null && ` from ${lastUsedFrom}`} · since <When at={created} /> · ends <When at={expiresAt} />
        </p>
      </div>
      {shownInstant.value === null && !current && (
        <div class="actions tight">
          {kind === 'personal' && <ActionButton label="Which rights it needs" about={title} run={usage} />}
          <ActionButton label={kind === 'personal' ? 'Revoke' : 'End'} about={`${title}, ${tid}`} run={end} />
        </div>
      )}
    </li>
  );
}

function When({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={`${fullOf(time)}, ${utcOf(time)}`}>
      {shortOf(time, serverNow())}
    </time>
  );
}
