import type { Conflict } from './use-check-form.ts';
import { shortOf } from '../time/instants.ts';
import { serverNow } from '../time/server-clock.ts';

interface ConflictNoteProps {
  readonly conflict: Conflict;
  readonly takeTheirs: () => void;
  readonly saveOver: () => void;
}

/** Shows what changed meanwhile; what was typed stays in the form until the person decides. */
export function ConflictNote({ conflict: { changes }, takeTheirs, saveOver }: ConflictNoteProps) {
  return (
    <div class="conflict" role="alert">
      <p>
        <strong>The check was changed meanwhile.</strong> What you typed is kept.
      </p>
      <ul>
        {changes.map(({ id, summary, actor, recordedAt }) => (
          <li key={id}>
            {actor.name ?? actor.kind}, {shortOf(Date.parse(recordedAt), serverNow())}: {summary}
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={saveOver}>
          Save mine over it
        </button>
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
      </div>
    </div>
  );
}
