import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { Link } from '../frame/link.tsx';
import { channelTable } from '../../alerts/preferences/preference.settings.ts';
import { OpenedForm } from '../parts/opened-form.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';

type Settings = Schemas['NotificationSettings'];

/** The alerts that the signed-in person gets about the project, and how. */
export function OwnAlerts({ projectId, round, isNow }: { readonly projectId: string; readonly round: number; readonly isNow: boolean }) {
  const { value, reload } = useLoaded(
    `${projectId} ${String(asOfShown().asOf)}`,
    async (signal) => {
      const [settings, channels] = await Promise.all([
        service.get('/project/{id}/notifications', { path: { id: projectId }, query: asOfShown(), signal }),
        service.list('/account/channels', { signal }).all(),
      ]);
      return { settings: settings.data, channels };
    },
    round,
  );
  // Who is no member has no settings here.
  if (value === undefined) return null;
  const { settings, channels } = value;
  return (
    <section>
      <h2>Your alerts</h2>
      <p class="soft">{alertSentence(settings, channels)}</p>
      {isNow && <Change projectId={projectId} settings={settings} channels={channels} changed={reload} />}
    </section>
  );
}

function alertSentence(settings: Settings, channels: readonly Schemas['Channel'][]): string {
  const chosen = channels.filter(({ channel }) => settings[channel]);
  const namesOf = (some: typeof chosen): string => some.map(({ channel }) => channelTable[channel].name).join(', ');
  const over = chosen.filter(({ configured }) => configured);
  if (chosen.length === 0) return 'you hear of nothing';
  if (over.length === 0) return `you hear of nothing: ${namesOf(chosen)} ${chosen.length === 1 ? 'is' : 'are'} not set up`;
  return `${settings.severity === 1 ? 'errors' : 'errors and timeouts'}, over ${namesOf(over)}`;
}

interface ChangeProps {
  readonly projectId: string;
  readonly settings: Settings;
  readonly channels: readonly Schemas['Channel'][];
  readonly changed: () => void;
}

function Change({ projectId, settings, channels, changed }: ChangeProps) {
  const [draft, setDraft] = useState(settings);
  const save = async (): Promise<undefined> => {
    await service.post('/project/{id}/notifications', { path: { id: projectId }, body: draft });
    changed();
  };
  return (
    <OpenedForm label="Change your alerts" submit="Save" opened={() => setDraft(settings)} save={save}>
      <label>
        You hear of
        <select
          name="severity"
          value={String(draft.severity)}
          onChange={(event) => setDraft({ ...draft, severity: event.currentTarget.value === '1' ? 1 : 3 })}
        >
          <option value="1">errors</option>
          <option value="3">errors and timeouts</option>
        </select>
      </label>
      <fieldset class="choices">
        <legend class="soft">over</legend>
        {channels.map(({ channel, configured }) => (
          <label key={channel} class="switch">
            <input
              type="checkbox"
              name={`over-${channel}`}
              checked={draft[channel]}
              onChange={(event) => setDraft({ ...draft, [channel]: event.currentTarget.checked })}
            />{' '}
            {channelTable[channel].name}
            {!configured && ', not set up'}
          </label>
        ))}
      </fieldset>
      <p class="soft">
        Channels are set up under <Link to={['administration']}>Administration</Link>.
      </p>
    </OpenedForm>
  );
}
