import { useState } from 'preact/hooks';
import { OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';
import { HOUR_LENGTH, zoneText } from '../time/instants.ts';
import { localField } from '../time/local-field.ts';
import { serverNow } from '../time/server-clock.ts';

/** Announces planned work: what is recorded before it begins counts as announced in every report. */
export function PlanMaintenance({ projectId, planned }: { readonly projectId: string; readonly planned: () => void }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const opened = (): void => {
    const next = Math.ceil(serverNow() / HOUR_LENGTH) * HOUR_LENGTH;
    setFrom(localField(next));
    setTo(localField(next + HOUR_LENGTH));
  };
  const plan = async (): Promise<undefined> => {
    const body = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), note };
    await service.post('/project/{id}/maintenance', { path: { id: projectId }, body });
    planned();
  };
  return (
    <OpenedForm label="Plan maintenance" submit="Plan it" opened={opened} save={plan}>
      <label>
        From ({zoneText()})
        <input
          type="datetime-local"
          name="maintenance-from"
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
          required
        />
      </label>
      <label>
        To ({zoneText()})
        <input type="datetime-local" name="maintenance-to" value={to} onInput={(event) => setTo(event.currentTarget.value)} required />
      </label>
      <label>
        Note
        <input name="maintenance-note" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
    </OpenedForm>
  );
}
