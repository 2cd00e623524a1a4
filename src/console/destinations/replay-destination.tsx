import { useState } from 'preact/hooks';
import { OpenedForm } from '../parts/opened-form.tsx';
import type { DestinationCalls } from './destination-calls.ts';

interface ReplayDestinationProps {
  readonly calls: DestinationCalls;
  readonly destinationId: string;
  readonly name: string;
  readonly reload: () => void;
}

/** Pushes events again from a position on, where a receiver has lost them. */
export function ReplayDestination({ calls, destinationId, name, reload }: ReplayDestinationProps) {
  const [from, setFrom] = useState('');
  const save = async (): Promise<string> => {
    await calls.replay(destinationId, from);
    reload();
    return `Events are pushed again from ${from} on.`;
  };
  return (
    <OpenedForm label="Push again …" about={`to ${name}`} submit="Push again" opened={() => setFrom('')} save={save}>
      <label>
        Position of the first event that is pushed again
        <input
          name="replay-from"
          inputMode="numeric"
          pattern="\d{1,15}"
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
          required
        />
      </label>
      <p class="soft">The receiver gets these events a second time.</p>
    </OpenedForm>
  );
}
