import type { StreamTarget } from '../kernel/decider.ts';
import { DomainError } from '../kernel/errors.ts';
import type { EventBody } from '../kernel/event.ts';
import { derivedId } from '../kernel/ids.ts';
import type { CommandContext } from './context.ts';
import type { CommandRunner } from './command-runner.ts';

/** Of events that say of a check that it is gone, an append surely holds as many. */
const PART = 500;

/**
 * The checks of a full group are more than one append may hold. Writes down, part by part, the beginning of what is to go, and at most one part together
 * with the end of what they belong to. After a crash a repeat goes on where it stopped.
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

/** It is refused at the end, unless this is a repeat of what was done before. */
function unlessRefused<State, Event extends EventBody>(decide: (state: State) => readonly Event[], state: State): readonly Event[] {
  try {
    return decide(state);
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}
