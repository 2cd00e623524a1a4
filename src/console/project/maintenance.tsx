import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { service } from '../service/service.ts';
import { clockText, fullOf, shortOf } from '../time/instants.ts';

type Window = Schemas['Maintenance'];

const SHOWN = 5;

interface MaintenanceProps {
  readonly projectId: string;
  readonly windows: readonly Window[] | undefined;
  readonly now: number;
  /** True in the present, for a person with the right to. */
  readonly mayChange: boolean;
  readonly changed: () => void;
}

/** Planned work that is under way or ahead, the soonest first, and the last one before. */
export function Maintenance({ projectId, windows, now, mayChange, changed }: MaintenanceProps) {
  if (windows === undefined) return <p class="soft" aria-busy="true" />;
  const ahead = windows
    .filter(({ endedAt, to, repeat }) => endedAt === null && (repeat !== null || Date.parse(to) > now))
    .toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from));
  if (ahead.length === 0) return <p class="soft">{lastOf(windows, now)}</p>;
  return (
    <ul class="people">
      {ahead.slice(0, SHOWN).map((window) => (
        <Row key={window.id} projectId={projectId} window={window} now={now} mayChange={mayChange} changed={changed} />
      ))}
      {ahead.length > SHOWN && <li class="soft">and {ahead.length - SHOWN} more</li>}
    </ul>
  );
}

interface RowProps extends Omit<MaintenanceProps, 'windows'> {
  readonly window: Window;
}

function Row({ projectId, window: { id, from, to, note, repeat, active }, now, mayChange, changed }: RowProps) {
  const cancel = async (): Promise<undefined> => {
    await service.delete('/project/{id}/maintenance/{windowId}', { path: { id: projectId, windowId: id } });
    changed();
  };
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  return (
    <li>
      <span>
        {active ? `under way until ${fullOf(end)}` : `${shortOf(begin, now)} to ${clockText(end)}`}
        {repeat !== null && `, ${repeat}`}
        {note !== '' && `: ${note}`}
      </span>
      {mayChange && <ActionButton label={active ? 'End now' : 'Cancel'} about={`the maintenance of ${fullOf(begin)}`} run={cancel} />}
    </li>
  );
}

function lastOf(windows: readonly Window[], now: number): string {
  const [last] = windows
    .filter(({ from }) => Date.parse(from) <= now)
    .toSorted((one, other) => Date.parse(other.from) - Date.parse(one.from));
  return last === undefined ? 'none planned' : `none planned; the last began ${shortOf(Date.parse(last.from), now)}`;
}
