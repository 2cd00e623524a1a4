import type { StreamTarget } from '../kernel/decider.ts';
import { DomainError } from '../kernel/errors.ts';
import type { EventBody } from '../kernel/event.ts';
import { derivedId } from '../kernel/ids.ts';
import type { CommandContext } from './context.ts';
import type { CommandRunner } from './command-runner.ts';

/** One append holds at least this many `CheckDeleted` events. */
const PART = 500;

/**
 * A full area has more checks than one append can delete. Appends the events in batches, the last batch together
 * with the end of the area or project. After a crash, a repeat continues where it stopped.
 */
export async function deleteInParts<State, Event extends EventBody>(
  runner: CommandRunner,
  target: StreamTarget<State, Event>,
  context: CommandContext,
  decide: (state: State) => readonly Event[],
): Promise<void> {
  const part = (state: State): readonly Event[] => {
    const all = unlessRefused(decide, state);
    return all.length > PART ? all.slice(0, PART) : [];
  };
  for (let index = 0, written = PART; written === PART; index++) {
    const { events } = await runner.run(target, { ...context, commandId: derivedId('part', context.commandId, index) }, part);
    written = events.length;
  }
  await runner.run(target, context, decide);
}

/** A refusal is raised by the last append, unless this repeats a completed command. */
function unlessRefused<State, Event extends EventBody>(decide: (state: State) => readonly Event[], state: State): readonly Event[] {
  try {
    return decide(state);
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}
