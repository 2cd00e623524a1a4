import type { Checklist, ChecklistEvent } from '../../domain/check/checklist.ts';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import type { Handling } from '../handle.ts';

/** Of events that say of a check that it is gone, an append surely holds as many. */
const PART = 500;

/**
 * The checks of a full group are more than one append may hold. Writes down, part by part, the beginning of what is to go, and leaves at most one part
 * to be written together with the end of what they belong to. After a crash a repeat goes on where it stopped.
 */
export async function deleteInParts(
  handling: Handling,
  context: CommandContext,
  projectId: string,
  gone: (list: Checklist) => readonly ChecklistEvent[],
): Promise<void> {
  for (let part = 0, written = PART; written === PART; part++) {
    const commandId = derivedId('part', context.commandId, part);
    const { events } = await handling.change(checklistTarget(projectId), { ...context, commandId }, (list) => {
      const all = gone(list);
      return all.length > PART ? all.slice(0, PART) : [];
    });
    written = events.length;
  }
}
