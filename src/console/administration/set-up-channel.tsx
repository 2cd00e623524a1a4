import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { CHANNEL_NAMES } from '../parts/channel-names.ts';
import { Field } from '../parts/field.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';

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

export function SetUpChannel({ channel: { channel, configured }, changed }: SetUpChannelProps) {
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
