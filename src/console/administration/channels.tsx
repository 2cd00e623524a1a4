import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { Glyph } from '../parts/glyph.tsx';
import { LoadedList } from '../parts/states.tsx';
import { channelTable } from '../../alerts/preferences/preference.settings.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Field } from '../parts/field.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';

/** What its user alone cannot set up. */
const WAITS_FOR: Partial<Record<Schemas['Channel']['channel'], string>> = {
  email: ': needs a mail server of this installation, and a confirmed account',
  webPush: ': a page that receives it subscribes the browser',
};

interface SetUpChannelProps {
  readonly channel: Schemas['Channel'];
  readonly changed: () => void;
}

function SetUpChannel({ channel: { channel, configured }, changed }: SetUpChannelProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  if (channelTable[channel].fields.length === 0 || (channel === 'email' && !configured)) return null;
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
      about={channelTable[channel].name}
      submit="Save"
      opened={() => setValues({})}
      save={save}
    >
      {channelTable[channel].fields.map(({ name, label, type }) => (
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

/** The channels that alerts are sent to, each with a test message. */
export function Channels() {
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
        <strong class="capital">{channelTable[channel].name}</strong> <span class="soft">{stateWords(state)}</span>
        {addressConfirmed === false && <span class="warn"> its other address is not confirmed: messages go to that of the account</span>}
      </span>
      {shownInstant.value === null && (
        <div class="actions tight">
          {configured && <ActionButton label="Send a test message" about={`to ${channelTable[channel].name}`} run={test} />}
          <SetUpChannel channel={state} changed={changed} />
        </div>
      )}
    </li>
  );
}
