import type { Decide, Decider, StreamTarget } from '../../kernel/decider.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { EventBody, NewEvent, StreamEvent } from '../../kernel/event.ts';
import { attemptDecision } from './attempt-decision.ts';
import type { CommandContext, CommandResult, JointPlace } from './context.ts';
import type { FoldedStream } from './fold-stream.ts';
import { revisionNumber, toNewEvents } from './new-events.ts';

/** Another operation of the atomic batch was refused, or the batch as a whole could not be stored. */
export class BatchNotApplied extends DomainError {
  readonly code = 'BATCH_NOT_APPLIED';

  constructor(why: string) {
    super(`Not carried out, because the batch is atomic: ${why}.`);
  }
}

type JointResult = CommandResult<unknown, EventBody, unknown>;

/** A command that waits for the append. */
export interface JointCommand {
  /** Its place in the batch, from 0. */
  readonly operation: number;
  readonly target: StreamTarget<unknown, EventBody>;
  readonly context: CommandContext;
  readonly decide: Decide<unknown, EventBody, unknown>;
  readonly resolve: (result: JointResult) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A unit of work: commands on one stream, in order, whose events are appended together or not at all. Each keeps its own command id, so that each is
 * recognised when it is repeated, alone or in another batch.
 */
export class JointAppend {
  private readonly joined: JointCommand[] = [];
  private isOpen = true;

  /** `onJoin`: called when the command waits for the append. `turn`: awaited between the append and the rest of the operation (a concurrency limit). */
  place(operation: number, onJoin: () => void, turn: () => Promise<void> = () => Promise.resolve()): JointPlace {
    let isTaken = false;
    return {
      join: (target, context, decide) => {
        if (isTaken || !this.isOpen) throw new Error('an operation of an atomic batch appends once');
        isTaken = true;
        const [first] = this.joined;
        if (first !== undefined && first.target.stream !== target.stream)
          throw new BatchNotApplied(`operation ${String(operation)} is about another project than operation ${String(first.operation)}`);
        const result = new Promise<JointResult>((resolve, reject) => {
          // Casts: every command is given the state that its own decider folds.
          const command = { target, decide } as unknown as Pick<JointCommand, 'target' | 'decide'>;
          this.joined.push({ ...command, operation, context, resolve, reject });
        });
        onJoin();
        // Cast: of the types of this command.
        return result.then(async (appended) => {
          await turn();
          return appended;
        }) as never;
      },
    };
  }

  /** The commands in their order; none joins after them. */
  close(): readonly JointCommand[] {
    this.isOpen = false;
    return this.joined;
  }

  /** Ends every command that waits, and no append has it any more; without effect on those that were appended. */
  abandon(reason: BatchNotApplied): void {
    this.isOpen = false;
    for (const { reject } of this.joined.splice(0)) reject(reason);
  }
}

/** The states of a stream at one revision, by the decider that folds them. */
export type JointStates = ReadonlyMap<Decider<unknown, EventBody>, FoldedStream<unknown>>;

/** A command refused. */
export class JointRefusal {
  constructor(
    readonly command: JointCommand,
    readonly reason: unknown,
  ) {}
}

interface JointDecision {
  readonly command: JointCommand;
  readonly events: readonly NewEvent[];
  readonly result: unknown;
}

/** Each command decides on the state that the events of those before it lead to; the first refusal is the outcome. */
export function decideJointly(
  commands: readonly JointCommand[],
  known: JointStates,
): { readonly decisions: readonly JointDecision[]; readonly states: ReadonlyMap<object, unknown> } | JointRefusal {
  const states = new Map([...known].map(([decider, { state }]) => [decider, state] as const));
  let revision = Math.max(-1, ...[...known.values()].map((folded) => revisionNumber(folded.revision)));
  const decisions: JointDecision[] = [];
  for (const command of commands) {
    const { target, context, decide } = command;
    const attempted = attemptDecision(decide, states.get(target.decider));
    if (attempted.kind === 'refused') return new JointRefusal(command, attempted.reason);
    const events = toNewEvents(target, attempted.events, revision, context, context.chain ?? attempted.chain);
    for (const [decider, state] of states)
      states.set(
        decider,
        events.reduce((folded, event) => decider.evolve(folded, event), state),
      );
    revision += events.length;
    decisions.push({ command, events, result: attempted.result });
  }
  return { decisions, states };
}

/** The last events in a row, which an append of the identical events finds again. */
export function lastRun(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const ordered = events.toSorted((one, other) => one.revision - other.revision);
  let from = ordered.length - 1;
  while (from > 0 && ordered[from - 1]?.revision === (ordered[from]?.revision ?? 0) - 1) from--;
  return ordered.slice(Math.max(from, 0));
}
