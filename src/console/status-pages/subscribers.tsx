import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failed } from '../parts/states.tsx';
import { service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import type { StatusPage } from './page-draft.ts';

/** How many subscribe now; whom, only they and the service know. */
export function Subscribers({ page }: { readonly page: StatusPage }) {
  const path = { id: page.id };
  const loaded = useLoaded(page.id, async (signal) => (await service.get('/status-pages/{id}/subscribers', { path, signal })).data);
  const [address, setAddress] = useState('');
  const { value, error, reload } = loaded;
  if (value === undefined) return error === undefined ? null : <Failed what="The subscribers" error={error} retry={reload} />;
  const remove = async (): Promise<string> => {
    const { data } = await service.post('/status-pages/{id}/subscribers/remove', { path, body: { address } });
    reload();
    return data.removed ? 'Removed. The address was deleted.' : 'No subscriber of this page has this address.';
  };
  const retry = async (): Promise<string> => {
    const { data } = await service.post('/status-pages/{id}/subscribers/retry', { path });
    reload();
    return `${String(data.messages)} ${data.messages === 1 ? 'message is' : 'messages are'} sent again.`;
  };
  return (
    <section class="section" aria-labelledby="page-subscribers">
      <h2 id="page-subscribers">Subscribers</h2>
      <p>{subscriberSentence(value)}</p>
      {value.failing > 0 && (
        <div class="actions">
          <ActionButton label="Send again" about="what could not be delivered" run={retry} />
        </div>
      )}
      {value.email + value.webhook > 0 && (
        <div class="fields medium">
          <label>
            Remove a subscriber: e-mail address, or address of the webhook
            <input
              name="subscriber-address"
              autocomplete="off"
              value={address}
              onInput={(event) => setAddress(event.currentTarget.value)}
            />
          </label>
          <div class="actions">
            <ActionButton label="Remove" about="the subscriber with this address" run={remove} />
          </div>
        </div>
      )}
    </section>
  );
}

function subscriberSentence({ email, webhook, failing }: Schemas['SubscriberCounts']): string {
  if (email + webhook === 0) return 'None yet. Readers subscribe on the page itself.';
  const failed = failing === 0 ? '' : ` The last message to ${String(failing)} of them could not be delivered.`;
  return `${String(email)} by e-mail, ${String(webhook)} by webhook. Their addresses are never shown.${failed}`;
}
