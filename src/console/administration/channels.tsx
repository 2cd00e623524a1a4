import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { CHANNEL_NAMES } from '../parts/channel-names.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { LoadedList } from '../parts/loaded-list.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { SetUpChannel } from './set-up-channel.tsx';

/** Where alerts go, each with a test message. */
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
