import type { EventStore } from '../event-store/event-store.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import { BatchNotApplied, decideJointly, type JointCommand, JointRefusal, type JointStates, lastRun } from './joint-append.ts';
import type { StreamStates } from './stream-states.ts';

const MAX_ATTEMPTS = 12;

/** Load, decide, append for the commands of a `JointAppend`, with one append for all of them. */
export class JointAppender {
  constructor(
    private readonly store: Pick<EventStore, 'append'>,
    private readonly states: StreamStates,
  ) {}

  /** Settles every command: with its result, with its refusal, or with the one of another. False when other writers came first at every attempt. */
  async append(stream: string, commands: readonly JointCommand[], signal: AbortSignal): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const known = await this.load(commands);
      if (known === null) continue;
      const repeated = await this.repeated(stream, commands);
      const decided = decideJointly(
        commands.filter(({ context }) => !repeated.has(context.commandId)),
        known,
      );
      if (decided instanceof JointRefusal) {
        refuse(commands, decided);
        return true;
      }
      signal.throwIfAborted();
      const events = decided.decisions.flatMap((decision) => decision.events);
      const expected = [...known.values()][0]?.revision ?? 'no stream';
      const appended = events.length === 0 ? null : await this.store.append(stream, expected, events, signal);
      if (appended?.kind === 'conflict') continue;
      if (appended !== null)
        for (const [decider, before] of known)
          this.states.appended({ stream, scope: stream, decider }, before, {
            state: decided.states.get(decider),
            revision: appended.revision,
            lastEventId: events.at(-1)?.id ?? null,
          });
      await this.answerRepeats(stream, commands, repeated, signal);
      for (const { command, events: own, result } of decided.decisions) {
        if (appended !== null && own.length > 0) command.context.recordAppend(appended.place, own);
        command.resolve({ state: decided.states.get(command.target.decider), events: own, result });
      }
      return true;
    }
    return false;
  }

  /** Null when another writer appended between the reads for two deciders. */
  private async load(commands: readonly JointCommand[]): Promise<JointStates | null> {
    const known = new Map<JointCommand['target']['decider'], Awaited<ReturnType<StreamStates['load']>>>();
    for (const { target } of commands) if (!known.has(target.decider)) known.set(target.decider, await this.states.load(target));
    return new Set([...known.values()].map(({ revision }) => revision)).size === 1 ? known : null;
  }

  /** The events that earlier attempts of the commands appended, by command id. */
  private async repeated(stream: string, commands: readonly JointCommand[]): Promise<ReadonlyMap<string, readonly StreamEvent[]>> {
    const contexts = commands.map(({ context }) => context).filter(({ repeat }) => repeat);
    if (contexts.length === 0) return new Map();
    const [after, ...others] = new Set(contexts.map(({ firstTriedAfter }) => firstTriedAfter));
    // Positions of a store have no order that is known here: with several of them the whole stream is read.
    return this.states.earlierEventsOf(
      stream,
      contexts.map(({ commandId }) => commandId),
      others.length === 0 ? after : undefined,
    );
  }

  /** Appending the identical events again answers with their position, which the caller waits for. */
  private async answerRepeats(
    stream: string,
    commands: readonly JointCommand[],
    repeated: ReadonlyMap<string, readonly StreamEvent[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const run = lastRun([...repeated.values()].flat());
    const [first] = run;
    if (first === undefined) return;
    const again = await this.store.append(stream, first.revision === 0 ? 'no stream' : first.revision - 1, run, signal);
    for (const { context, target, resolve } of commands) {
      const events = repeated.get(context.commandId);
      if (events === undefined) continue;
      if (again.kind === 'appended') context.recordAppend(again.place, []);
      resolve({ state: (await this.states.load(target)).state, events, result: undefined });
    }
  }
}

function refuse(commands: readonly JointCommand[], { command: refused, reason }: JointRefusal): void {
  const others = new BatchNotApplied(`operation ${String(refused.operation)} was refused`);
  for (const command of commands) command.reject(command === refused ? reason : others);
}
