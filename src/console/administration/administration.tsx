import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { Failed, PageState } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { session } from '../session/session.ts';
import { Deliveries } from './deliveries.tsx';
import { AccountList } from './account-list.tsx';
import { Password } from './password.tsx';
import { SecondFactors } from './second-factors.tsx';
import { Tokens } from './tokens.tsx';
import { everyText } from '../time/instants.ts';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { LoadedList } from '../parts/loaded-list.tsx';
import { CHANNEL_NAMES } from '../parts/words.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Field } from '../parts/field.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';

type Channel = Schemas['Channel']['channel'];

interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'text';
}

/** What each channel needs. Web push is set up by a browser that receives it, e-mail by the operator. */
const FIELDS: Readonly<Record<Exclude<Channel, 'webPush'>, readonly SettingField[]>> = {
  email: [{ name: 'address', label: 'Another address than that of the account', type: 'email' }],
  slack: [{ name: 'url', label: 'Address of the incoming webhook', type: 'text' }],
  webhook: [{ name: 'url', label: 'Address', type: 'text' }],
  pagerduty: [{ name: 'routingKey', label: 'Integration key', type: 'text' }],
  pushover: [
    { name: 'user', label: 'User or group key', type: 'text' },
    { name: 'token', label: 'Token of an application', type: 'text' },
  ],
  pushbullet: [{ name: 'token', label: 'Access token', type: 'text' }],
};

interface SetUpChannelProps {
  readonly channel: Schemas['Channel'];
  readonly changed: () => void;
}

function SetUpChannel({ channel: { channel, configured }, changed }: SetUpChannelProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  if (channel === 'webPush' || (channel === 'email' && !configured)) return null;
  const save = async (confirmation: object): Promise<string | undefined> => {
    // Cast: the fields of the table are those of the channel.
    const body = { ...values, ...confirmation } as Schemas['ChannelSettings'];
    const { data } = await service.put('/account/channels/{channel}', { path: { channel }, body });
    changed();
    return data.secret === undefined ? 'Saved.' : `Saved. It signs with ${data.secret}, which is shown only this once.`;
  };
  return (
    <OpenedForm
      label={configured ? 'Change' : 'Set up'}
      about={CHANNEL_NAMES[channel]}
      submit="Save"
      opened={() => setValues({})}
      save={save}
    >
      {FIELDS[channel].map(({ name, label, type }) => (
        <Field
          key={name}
          label={label}
          name={`${channel}-${name}`}
          type={type}
          autocomplete="off"
          value={values[name] ?? ''}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
    </OpenedForm>
  );
}

/** Where alerts go, each with a test message. */
function Channels() {
  const loaded = useLoaded('', (signal) => service.list('/account/channels', { signal }).all());
  return (
    <section class="section" aria-labelledby="channels">
      <h2 id="channels">Channels</h2>
      <LoadedList what="Channels" loaded={loaded} none="None.">
        {(channels) => (
          <ul class="rows-list">
            {channels.map((channel) => (
              <Row key={channel.channel} channel={channel} changed={loaded.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

/** What its user alone cannot set up. */
const WAITS_FOR: Partial<Record<Schemas['Channel']['channel'], string>> = {
  email: ': needs a mail server of this installation, and a confirmed account',
  webPush: ': a page that receives it subscribes the browser',
};

const stateWords = ({ channel, configured }: Schemas['Channel']): string =>
  configured ? 'set up' : `not set up${WAITS_FOR[channel] ?? ''}`;

function Row({ channel: state, changed }: { readonly channel: Schemas['Channel']; readonly changed: () => void }) {
  const { channel, configured, addressConfirmed } = state;
  const test = async (): Promise<string> => {
    const { data } = await service.post('/account/channels/{channel}/test', { path: { channel } });
    return `${data.delivered ? 'Delivered' : 'Not delivered'}: ${data.answer}`;
  };
  return (
    <li class="wrap">
      <Glyph state={configured ? 'working' : 'unknown'} />
      <span class="grow">
        <strong class="capital">{CHANNEL_NAMES[channel]}</strong> <span class="soft">{stateWords(state)}</span>
        {addressConfirmed === false && <span class="warn"> its other address is not confirmed: messages go to that of the account</span>}
      </span>
      {shownInstant.value === null && (
        <div class="actions tight">
          {configured && <ActionButton label="Send a test message" about={`to ${CHANNEL_NAMES[channel]}`} run={test} />}
          <SetUpChannel channel={state} changed={changed} />
        </div>
      )}
    </li>
  );
}

const STATES: Readonly<Record<'ok' | 'warn' | 'fail', GlyphState>> = { ok: 'working', warn: 'warning', fail: 'failing' };

/** What the doctor finds on the instance that answers: what is wrong first. */
function Findings() {
  const loaded = useLoaded('', async (signal) => {
    const { findings } = (await service.get('/ops/doctor', { signal })).data;
    return findings.toSorted((one, other) => Number(one.state === 'ok') - Number(other.state === 'ok'));
  });
  const wrong = loaded.value?.filter(({ state }) => state !== 'ok').length ?? 0;
  return (
    <section class="section" aria-labelledby="doctor">
      <h2 id="doctor">
        What the doctor finds{' '}
        {loaded.value !== undefined && (
          <span class="chart-legend">
            {wrong === 0 ? 'all is well' : `${String(wrong)} of ${String(loaded.value.length)} ${wrong === 1 ? 'needs' : 'need'} attention`}
          </span>
        )}
      </h2>
      <LoadedList what="The doctor" loaded={loaded} none="Nothing was examined.">
        {(findings) => (
          <ul class="rows-list">
            {findings.map(({ name, state, found, advice }) => (
              <li key={name}>
                <Glyph state={STATES[state]} />
                <div class="grow">
                  <p>
                    <strong>{name}</strong> {found}
                  </p>
                  {advice !== null && <p class="soft">{advice}</p>}
                </div>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

const bound = (count: number | null): string => (count === null ? 'any number of' : String(count));

/** Version, engine and plans. */
function Plans() {
  const { value, error, reload } = useLoaded('', async (signal) => (await service.get('/ops/installation', { signal })).data);
  if (error !== undefined && value === undefined) return <Failed what="The plans" error={error} retry={reload} />;
  return (
    <section class="section" aria-labelledby="plans">
      <h2 id="plans">
        Plans{' '}
        {value !== undefined && (
          <span class="chart-legend">
            version {value.version} · events in {value.engine} · this instance: {value.roles.join(', ')}
          </span>
        )}
      </h2>
      <ul class="rows-list">
        {value?.plans.map(({ name, maxProjects, defaultPeriod, minUptimePeriod, apiAccess, secondFactor, budgets }) => (
          <li key={name} class="wrap">
            <strong>{name}</strong> {name === value.defaultPlan && <span class="tag">for new accounts</span>}
            <span class="grow soft">
              {bound(maxProjects)} {maxProjects === 1 ? 'site' : 'sites'} · checks {everyText(defaultPeriod)} · uptime from{' '}
              {String(minUptimePeriod)} s · {apiAccess ? `${bound(budgets.requestsPerMinute)} requests a minute` : 'no API'}
              {secondFactor && ' · second factor needed'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

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

/** Backups are files that an operator makes elsewhere: the service neither makes them nor knows of them. */
function Backups() {
  return (
    <section class="section" aria-labelledby="backups">
      <h2 id="backups">Backups</h2>
      <p>
        <code>watchledger backup FILE</code> copies everything as of one instant beside the running service, and the keys into a file of
        their own. The service does not see these files: whether the last one is recent, the timetable that makes them has to say.
      </p>
      <p class="soft">
        A restore refuses a file that is incomplete or was changed. Keep the master key elsewhere; practise a restore before you need it.
      </p>
    </section>
  );
}
