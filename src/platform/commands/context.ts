import type { AppendPosition } from '../event-store/event-store.ts';
import type { Decide, StreamTarget } from '../../kernel/decider.ts';
import type { Actor, AppliedFrom, EventBody, EventChain, NewEvent } from '../../kernel/event.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Precondition } from './precondition.ts';

/** Backpressure: closed while the read models are too far behind for a write to be readable soon. */
export interface BackpressureGate {
  /** Throws while closed. */
  check(): void;
}

/** A gate with what it measures, for those that can wait. */
export interface MeasuredGate extends BackpressureGate {
  isOpen(): boolean;
  /** Seconds that the read models are behind. */
  lag(): number;
}

/** Injection token. */
export const BACKPRESSURE_GATE = Symbol('BackpressureGate');

/** The metadata of a command's events, and how the command is to be run. */
export interface CommandContext {
  readonly actor: Actor;
  /** Derived from caller and `Idempotency-Key`, else random. */
  readonly commandId: string;
  /** The chain that the command belongs to; when null, its first event begins one. */
  readonly chain: EventChain | null;
  readonly occurredAt: string;
  /** W3C Trace Context of the request or the operation that issues the command. */
  readonly traceparent?: string;
  readonly requestHash?: string;
  /** The site files that the command applies. */
  readonly apply?: AppliedFrom;
  /** Idempotency: an earlier attempt may have appended events; they are searched for before anything is decided. */
  readonly repeat: boolean;
  /** A position of the store from before the first attempt: an earlier one is searched for behind it, else in the whole stream. */
  readonly firstTriedAfter?: string | undefined;
  /** Commands of requests are refused while it is closed, as those of the checker are (`behindGate`); process managers and the command line have no gate. */
  readonly gate?: BackpressureGate | undefined;
  /** Aborts when the client disconnects: a command that is not appended yet is abandoned. */
  readonly signal?: AbortSignal | undefined;
  /** `If-Match`: which settings the caller has read; commands that change them compare it in their decision (`requireMatch`). */
  readonly precondition?: Precondition | undefined;
  /** Present for an operation of an atomic batch: its command joins the append of the batch instead of appending itself. */
  readonly joint?: JointPlace | undefined;
  /**
   * Called with the position of every append, so that the answer can wait until reads show it (read-your-writes), and with its events; without them
   * where an earlier attempt appended them.
   */
  readonly recordAppend: (place: AppendPosition, events: readonly NewEvent[]) => void;
}

export interface CommandResult<State, Event extends EventBody, Result = undefined> {
  readonly state: State;
  readonly events: readonly (Event & NewEvent)[];
  /** The result of the decision; undefined where an earlier attempt of the command was found instead. */
  readonly result: Result | undefined;
}

/** The place of one operation of an atomic batch: the runner of its command hands the command over, and gets the result once all have been appended. */
export interface JointPlace {
  join<State, Event extends EventBody, Result>(
    target: StreamTarget<State, Event>,
    context: CommandContext,
    decide: Decide<State, Event, Result>,
  ): Promise<CommandResult<State, Event, Result>>;
}

/** The context of a command that the service issues by itself: ungated, and without an answer that waits for reads, unless given. */
export function systemContext(
  actor: Actor,
  now: number,
  given: Partial<Pick<CommandContext, 'commandId' | 'chain' | 'repeat' | 'recordAppend' | 'gate' | 'traceparent'>> = {},
): CommandContext {
  return {
    actor,
    commandId: given.commandId ?? randomId(),
    chain: given.chain ?? null,
    occurredAt: new Date(now).toISOString(),
    repeat: given.repeat ?? given.commandId !== undefined,
    recordAppend: given.recordAppend ?? (() => undefined),
    gate: given.gate,
    ...(given.traceparent !== undefined && { traceparent: given.traceparent }),
  };
}
