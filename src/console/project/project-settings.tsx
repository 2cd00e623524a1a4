import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { goTo, hrefOf } from '../frame/address.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';
import { session } from '../session/session.ts';
import { everyText } from '../time/instants.ts';
import { LOCATIONS } from '../../kernel/locations.ts';

type Project = Schemas['ProjectInFull'];
type Draft = Pick<
  Project,
  'title' | 'url' | 'uptimeEnabled' | 'period' | 'location' | 'timeout' | 'sslAlertPeriod' | 'httpsRedirectEnabled'
> & {
  /** As they are typed. */
  readonly tags: string;
};

const UPTIME = { '15': 'every 15 s', '30': 'every 30 s', '60': 'every 60 s', false: 'not watched' } as const;
const PERIODS = ['5 minutes', '30 minutes', '1 hour', '8 hours', '1 day', '7 days'] as const;

const draftOf = ({ title, url, uptimeEnabled, period, location, timeout, sslAlertPeriod, httpsRedirectEnabled, tags }: Project): Draft => ({
  title,
  url,
  uptimeEnabled,
  period,
  location,
  timeout,
  sslAlertPeriod,
  httpsRedirectEnabled,
  tags: tags.join(', '),
});

const typedTags = (text: string): readonly string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** The settings that people change; the others have the API. */
export function ProjectSettings({ project, changed }: { readonly project: Project; readonly changed: () => void }) {
  const [draft, setDraft] = useState<Draft>(draftOf(project));
  const edit = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const save = async (): Promise<undefined> => {
    // Only what differs: what others change meanwhile stays.
    const changes = Object.fromEntries(Object.entries(draft).filter(([name, value]) => draftOf(project)[name as keyof Draft] !== value));
    const body = 'tags' in changes ? { ...changes, tags: typedTags(draft.tags) } : changes;
    await service.patch('/project/{id}', { path: { id: project.id }, body });
    changed();
  };
  const remove = async (): Promise<void> => {
    await service.delete('/project/{id}', { path: { id: project.id } });
    goTo(hrefOf([]));
  };
  return (
    <>
      <OpenedForm label="Change the settings" submit="Save" opened={() => setDraft(draftOf(project))} save={save}>
        <Fields draft={draft} edit={edit} />
      </OpenedForm>
      {session.value?.account.id === String(project.payerId) && (
        <p>
          <DeleteButton
            what={`the site “${project.title}”`}
            consequence="It is watched no longer. Its history stays in the log and is not shown any more."
            run={remove}
          />
        </p>
      )}
    </>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly edit: (changes: Partial<Draft>) => void;
}

function Fields({ draft, edit }: FieldsProps) {
  return (
    <>
      <label>
        Title
        <input name="title" value={draft.title} onInput={(event) => edit({ title: event.currentTarget.value })} required />
      </label>
      <label>
        Address
        <input name="address" class="mono" value={draft.url} onInput={(event) => edit({ url: event.currentTarget.value })} required />
      </label>
      <label>
        Tags, separated by commas
        <input name="tags" value={draft.tags} onInput={(event) => edit({ tags: event.currentTarget.value })} />
      </label>
      <Choice
        label="Uptime"
        name="uptime"
        value={draft.uptimeEnabled}
        options={Object.entries(UPTIME)}
        choose={(uptimeEnabled) => edit({ uptimeEnabled: uptimeEnabled as Draft['uptimeEnabled'] })}
      />
      <Choice
        label="Checks"
        name="period"
        value={draft.period}
        options={[...PERIODS.map((period) => [period, everyText(period)] as const), ['false', 'only when started'] as const]}
        choose={(period) => edit({ period: period as Draft['period'] })}
      />
      <Choice
        label="From"
        name="location"
        value={draft.location}
        options={LOCATIONS.map((location) => [location, location] as const)}
        choose={(location) => edit({ location: location as Draft['location'] })}
      />
      <label>
        Seconds that one fetch may take
        <input
          name="timeout"
          type="number"
          min={1}
          max={60}
          value={draft.timeout}
          onInput={(event) => edit({ timeout: event.currentTarget.valueAsNumber })}
          required
        />
      </label>
      <label>
        Days before the end of the certificate from which it warns
        <input
          name="certificate-days"
          type="number"
          min={1}
          max={365}
          value={draft.sslAlertPeriod}
          onInput={(event) => edit({ sslAlertPeriod: event.currentTarget.valueAsNumber })}
          required
        />
      </label>
      <label class="switch">
        <input
          type="checkbox"
          name="redirect"
          checked={draft.httpsRedirectEnabled}
          onChange={(event) => edit({ httpsRedirectEnabled: event.currentTarget.checked })}
        />{' '}
        http has to lead to https
      </label>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly choose: (value: string) => void;
}

function Choice({ label, name, value, options, choose }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
