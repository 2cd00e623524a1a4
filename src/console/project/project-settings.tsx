import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { goTo, hrefOf } from '../frame/address.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';
import { session } from '../session/session.ts';
import { everyText } from '../time/instants.ts';
import { settingRows } from '../../projects/project.settings.ts';

type Project = Schemas['ProjectInFull'];
/** The values of the fields as they are typed, by their names. */
type Draft = Readonly<Record<string, unknown>>;

const FIELDS = settingRows.flatMap(([setting, { field = setting, form, shown, within }]) =>
  // Cast: a field of a setting is one of a project.
  form === undefined || field === null ? [] : [{ ...form, name: field as keyof Project, shown, within }],
);
type Field = (typeof FIELDS)[number];

const textOf = (list: unknown): string => (Array.isArray(list) ? list.join(', ') : '');
const draftOf = (project: Project): Draft =>
  Object.fromEntries(FIELDS.map(({ name, as }) => [name, as === 'words' ? textOf(project[name]) : project[name]]));

const wordsIn = (text: unknown): readonly string[] =>
  String(text)
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** The settings that people change; the others have the API. */
export function ProjectSettings({ project, changed }: { readonly project: Project; readonly changed: () => void }) {
  const [draft, setDraft] = useState<Draft>(draftOf(project));
  const save = async (): Promise<undefined> => {
    // Only what differs: what others change meanwhile stays.
    const before = draftOf(project);
    const changes = FIELDS.filter(({ name }) => draft[name] !== before[name]).map(({ name, as }) => [
      name,
      as === 'words' ? wordsIn(draft[name]) : draft[name],
    ]);
    await service.patch('/project/{id}', { path: { id: project.id }, body: Object.fromEntries(changes) as Schemas['ProjectPatch'] });
    changed();
  };
  const remove = async (): Promise<void> => {
    await service.delete('/project/{id}', { path: { id: project.id } });
    goTo(hrefOf([]));
  };
  return (
    <>
      <OpenedForm label="Change the settings" submit="Save" opened={() => setDraft(draftOf(project))} save={save}>
        {FIELDS.map((field) => (
          <SettingField
            key={field.name}
            field={field}
            value={draft[field.name]}
            edit={(value) => setDraft({ ...draft, [field.name]: value })}
          />
        ))}
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

interface SettingFieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly edit: (value: unknown) => void;
}

function SettingField({ field, value, edit }: SettingFieldProps) {
  const { name, label, as, within: [min, max] = [] } = field;
  if (as === 'switch')
    return (
      <label class="switch">
        <input type="checkbox" name={name} checked={value === true} onChange={(event) => edit(event.currentTarget.checked)} /> {label}
      </label>
    );
  if (as === 'choice' || as === 'period')
    return (
      <label>
        {label}
        <select name={name} value={String(value)} onChange={(event) => edit(event.currentTarget.value)}>
          {choicesOf(field).map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <label>
      {label}
      {as === 'number' ? (
        <input
          name={name}
          type="number"
          min={min}
          max={max}
          value={Number(value)}
          onInput={(event) => edit(event.currentTarget.valueAsNumber)}
          required
        />
      ) : (
        <input
          name={name}
          class={as === 'address' ? 'mono' : undefined}
          value={String(value)}
          onInput={(event) => edit(event.currentTarget.value)}
          required={as !== 'words'}
        />
      )}
    </label>
  );
}

/** Never stands last. */
function choicesOf({ as, options = [], shown = String }: Field): readonly (readonly [value: string, words: string])[] {
  if (as === 'choice') return options.map((value) => [value, shown(value)]);
  const periods = options.filter((value) => value !== 'false');
  return [...periods.map((value) => [value, everyText(shown(value))] as const), ['false', shown('false')]];
}
