import { useState } from 'preact/hooks';
import { errorSentence, service } from '../service/service.ts';
import { HOUR_LENGTH } from '../time/instants.ts';
import { localField } from '../time/local-field.ts';

/** Announces planned work: what is recorded before it begins counts as announced in every report. */
export function PlanMaintenance({ projectId, planned }: { readonly projectId: string; readonly planned: () => void }) {
  const [from, setFrom] = useState(() => localField(Math.ceil(Date.now() / HOUR_LENGTH) * HOUR_LENGTH));
  const [to, setTo] = useState(() => localField(Math.ceil(Date.now() / HOUR_LENGTH) * HOUR_LENGTH + HOUR_LENGTH));
  const [note, setNote] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  if (!isOpen)
    return (
      <button class="quiet inline" onClick={() => setOpen(true)}>
        Plan maintenance
      </button>
    );
  const plan = async (): Promise<void> => {
    setProblem(null);
    try {
      const body = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), note };
      await service.post('/project/{id}/maintenance', { path: { id: projectId }, body });
      setOpen(false);
      planned();
    } catch (error) {
      setProblem(errorSentence(error));
    }
  };
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        void plan();
      }}
    >
      <label>
        From
        <input
          type="datetime-local"
          name="maintenance-from"
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
          required
        />
      </label>
      <label>
        To
        <input type="datetime-local" name="maintenance-to" value={to} onInput={(event) => setTo(event.currentTarget.value)} required />
      </label>
      <label>
        Note
        <input name="maintenance-note" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="actions tight">
        <button class="primary">Plan it</button>
        <button type="button" onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
