import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { service } from '../service/service.ts';
import { fullOf, utcOf } from '../time/instants.ts';

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
  const limits = [
    scopes === null ? 'everything that the account may' : `only ${scopes.join(', ')}`,
    ...(projects === null ? [] : [`${String(projects.length)} ${projects.length === 1 ? 'project' : 'projects'}`]),
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
          <ActionButton label={kind === 'personal' ? 'Revoke' : 'End'} about={`${title}, ${tid}`} run={end} />
        </div>
      )}
    </li>
  );
}

function When({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={utcOf(time)}>
      {fullOf(time)}
    </time>
  );
}
