import type { Schemas } from '../../client.ts';
import { everyText } from '../time/instants.ts';
import type { CheckDraft } from './draft.ts';

interface CheckFieldsProps {
  readonly draft: CheckDraft;
  readonly groups: readonly Schemas['Area'][];
  readonly isReadOnly: boolean;
  readonly onChange: (changes: Partial<CheckDraft>) => void;
}

/** What is checked, in which group, and what people should know about it. */
export function CheckFields({ draft, groups, isReadOnly, onChange }: CheckFieldsProps) {
  return (
    <fieldset class="fields" disabled={isReadOnly}>
      <legend class="hidden">Check</legend>
      <label>
        Name
        <input name="name" value={draft.name} onInput={(event) => onChange({ name: event.currentTarget.value })} />
      </label>
      <label>
        Address, or a path of the site
        <input
          name="url"
          class="mono"
          spellcheck={false}
          value={draft.url}
          onInput={(event) => onChange({ url: event.currentTarget.value })}
          required
        />
      </label>
      {(groups.length > 0 || draft.areaId !== '') && (
        <label>
          Group
          <select name="group" value={draft.areaId} onChange={(event) => onChange({ areaId: event.currentTarget.value })}>
            {draft.areaId === '' && <option value="">the first group of the site</option>}
            {groups.map(({ id, name, period }) => (
              <option key={id} value={id}>
                {name}
                {period === 'true' ? '' : period === 'false' ? ', only when started' : `, ${everyText(period)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Note
        <input name="notice" value={draft.notice} onInput={(event) => onChange({ notice: event.currentTarget.value })} />
      </label>
      <label class="switch">
        <input type="checkbox" checked={draft.enabled} onChange={(event) => onChange({ enabled: event.currentTarget.checked })} /> Runs on
        schedule
      </label>
    </fieldset>
  );
}
