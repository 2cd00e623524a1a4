import type { StreamTarget } from '../kernel/decider.ts';
import { DomainError } from '../kernel/errors.ts';
import type { EventBody } from '../kernel/event.ts';
import { derivedId } from '../kernel/ids.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import type { CommandRunner } from '../platform/commands/command-runner.ts';
import { requireMatch } from '../platform/commands/precondition.ts';

/** One append holds at least this many `CheckDeleted` events. */
const PART = 500;

interface Deletion<State, Event> {
  readonly decide: (state: State) => readonly Event[];
  /** The tag of the thing that is deleted, which the precondition of the request compares. */
  readonly presentTag?: (state: State) => string | null;
}

/**
 * A full area has more checks than one append can delete. Appends the events in batches, the last batch together
 * with the end of the area or project. After a crash, a repeat continues where it stopped. A precondition is checked by the first append.
 */
export async function deleteInParts<State, Event extends EventBody>(
  runner: CommandRunner,
  target: StreamTarget<State, Event>,
  context: CommandContext,
  { decide, presentTag = () => null }: Deletion<State, Event>,
): Promise<void> {
  let isBegun = false;
  const decideNext = (state: State): readonly Event[] => {
    if (!isBegun) requireMatch(context, () => presentTag(state));
    return decide(state);
  };
  const part = (state: State): readonly Event[] => {
    const all = unlessRefused(decideNext, state);
    return all.length > PART ? all.slice(0, PART) : [];
  };
  // A command of an atomic batch appends once: what is too much for that is refused by its size.
  for (let index = 0, written = context.joint === undefined ? PART : 0; written === PART; index++) {
    const { events } = await runner.run(target, { ...context, commandId: derivedId('part', context.commandId, index) }, part);
    written = events.length;
    isBegun ||= written > 0;
  }
  await runner.run(target, context, decideNext);
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
