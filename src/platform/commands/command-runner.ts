import type { AppendResult, EventStore, ExpectedRevision } from '../event-store/event-store.ts';
import type { Decide, StreamTarget } from '../../kernel/decider.ts';
import { DomainError, RefusedUnderLoad, StoreUnavailable } from '../../kernel/errors.ts';
import type { EventBody, NewEvent, StreamEvent } from '../../kernel/event.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { formatTraceparent, parseTraceparent, traceOf } from '../../kernel/trace-context.ts';
import { noTracer, type Tracer } from '../../kernel/tracer.ts';
import { attemptDecision } from './attempt-decision.ts';
import type { CommandContext, CommandResult } from './context.ts';
import type { JointAppend } from './joint-append.ts';
import { JointAppender } from './joint-appender.ts';
import { toNewEvents } from './new-events.ts';
import { beginningOf, type FoldedStream } from './fold-stream.ts';
import type { StreamSnapshots } from './snapshots/stream-snapshots.ts';
import { type EndOfStream, StreamStates } from './stream-states.ts';

export class TooContended extends DomainError {
  readonly code = 'TOO_CONTENDED';
}

/** Not appended, as far as known: its client disconnected before. */
export class CommandAbandoned extends RefusedUnderLoad {
  readonly code = 'COMMAND_ABANDONED';

  constructor() {
    super('the client closed the connection before the command ran');
  }
}

interface Assumptions {
  /** The stream should not exist: it is not read unless the append or a refusal shows that it does. */
  readonly assumeNew?: boolean;
  /** A decision without events may rest on a state that is a moment old, because it is made again soon. An append names its revision in any case. */
  readonly isContinual?: boolean;
}

export interface CommandRunnerOptions {
  readonly snapshots?: StreamSnapshots;
  /** The ends of the streams of continual commands, many in one query. */
  readonly endOf?: EndOfStream;
  /** From the call to the answer, whatever waits in front of it. */
  readonly timeoutMs?: number;
  readonly tracer?: Tracer;
}

const MAX_ATTEMPTS = 12;
/** The checks of 50,000 sites: a checker decides about each of its streams every few minutes, and would read all of them again if it could not keep them. */
const CONTINUAL_STREAMS = 250_000;
/** As long as the slower engine retries an append; shorter than an HTTP client's timeout. */
const TIMEOUT_MS = 10_000;

/** Load, decide, append, with optimistic concurrency: a conflict is decided again on the events that came in between. */
export class CommandRunner {
  private readonly states: StreamStates;
  private readonly continualStates: StreamStates;
  /** Writers of one stream queue up here: as rivals they would use up their attempts. Conflicts remain between instances. */
  private readonly writers = new KeyedMutex();

  private readonly endOf: EndOfStream;
  private readonly joint: JointAppender;
  private readonly timeoutMs: number;
  private readonly tracer: Tracer;

  constructor(
    private readonly store: EventStore,
    { snapshots, endOf, timeoutMs = TIMEOUT_MS, tracer = noTracer }: CommandRunnerOptions = {},
  ) {
    this.tracer = tracer;
    this.states = new StreamStates(store, snapshots);
    this.continualStates = new StreamStates(store, snapshots, CONTINUAL_STREAMS);
    this.endOf = endOf ?? (async (stream) => (await store.ends([stream])).get(stream));
    this.joint = new JointAppender(store, this.states);
    this.timeoutMs = timeoutMs;
  }

  async run<State, Event extends EventBody, Result = undefined>(
    target: StreamTarget<State, Event>,
    context: CommandContext,
    decide: Decide<State, Event, Result>,
    { assumeNew = false, isContinual = false }: Assumptions = {},
  ): Promise<CommandResult<State, Event, Result>> {
    context.gate?.check();
    if (context.joint !== undefined) return context.joint.join(target, context, decide);
    const span = this.tracer.start(`command ${nounOf(target.stream)}`, {
      kind: 'internal',
      parent: parseTraceparent(context.traceparent) ?? (context.chain && traceOf(context.chain)),
      attributes: {
        'watchledger.stream': target.stream,
        'watchledger.actor': context.actor.kind,
        'watchledger.command.id': context.commandId,
      },
    });
    const continued = span.context === null ? context : { ...context, traceparent: formatTraceparent(span.context) };
    try {
      const result = await this.runInTime(target, continued, decide, { assumeNew, isContinual });
      span.set({ 'watchledger.events': result.events.map(({ type }) => type).join(' ') });
      span.end();
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }

  private async runInTime<State, Event extends EventBody, Result>(
    target: StreamTarget<State, Event>,
    context: CommandContext,
    decide: Decide<State, Event, Result>,
    assumptions: Required<Assumptions>,
  ): Promise<CommandResult<State, Event, Result>> {
    const limit = new CommandLimit(this.timeoutMs, context.signal);
    const { signal } = limit;
    try {
      // While the store does not answer, those that wait would otherwise wait out its timeout one behind the other.
      return await this.writers.runExclusive(
        target.stream,
        () => this.decideAndAppend(target, context, decide, { ...assumptions, signal }),
        signal,
      );
    } finally {
      limit.end();
    }
  }

  /** Appends the events of all commands together, or none of them (a unit of work); settles each. */
  async runJointly(joint: JointAppend, signal: AbortSignal): Promise<void> {
    const commands = joint.close();
    const [first] = commands;
    if (first === undefined) return;
    const { stream } = first.target;
    const limit = new CommandLimit(this.timeoutMs, signal);
    try {
      const append = (): Promise<boolean> => this.joint.append(stream, commands, limit.signal);
      if (!(await this.writers.runExclusive(stream, append, limit.signal))) throw tooContended(stream);
    } finally {
      limit.end();
    }
  }

  /** Idempotency: whether an earlier attempt of the command appended events to the stream. */
  async wasRun<State, Event extends EventBody>(target: StreamTarget<State, Event>, context: CommandContext): Promise<boolean> {
    return context.repeat && (await this.states.earlierEvents(target.stream, context)).length > 0;
  }

  /** The current state, for a decision that depends on a second stream. */
  async read<State, Event extends EventBody>(target: StreamTarget<State, Event>): Promise<State> {
    return (await this.states.load(target)).state;
  }

  /** The same with its revision, as the ends of streams show it: on KurrentDB as of what its mirror holds, as the read models are. */
  async loadIfMoved<State, Event extends EventBody>(
    target: StreamTarget<State, Event>,
  ): Promise<Pick<FoldedStream<State>, 'state' | 'revision'>> {
    return this.states.loadIfMoved(target, this.endOf);
  }

  private async decideAndAppend<State, Event extends EventBody, Result>(
    target: StreamTarget<State, Event>,
    context: CommandContext,
    decide: Decide<State, Event, Result>,
    { assumeNew, isContinual, signal }: Required<Assumptions> & { readonly signal: AbortSignal },
  ): Promise<CommandResult<State, Event, Result>> {
    const states = isContinual ? this.continualStates : this.states;
    let cached = states.cached(target);
    let mayLag = isContinual;
    let mayBeRepeat = context.repeat && (!assumeNew || cached !== null);
    if (assumeNew) cached ??= beginningOf(target);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const known = cached ?? (await (mayLag ? states.loadIfMoved(target, this.endOf) : states.load(target)));
      if (mayBeRepeat) {
        const earlier = await states.earlierEvents(target.stream, context);
        if (earlier.length > 0) return this.answerRepeat(states, target, earlier, context, signal);
      }
      mayBeRepeat = context.repeat;
      const attempted = attemptDecision(decide, known.state);
      // An append detects a stale cache by the expected revision; a refusal or an empty decision does not, so it is made again.
      const needsFreshState = cached !== null && (attempted.kind === 'refused' || attempted.events.length === 0);
      // Whatever comes next is decided on the stream as it is by then.
      cached = null;
      if (needsFreshState) continue;
      if (attempted.kind === 'refused' && mayLag) {
        mayLag = false;
        continue;
      }
      if (attempted.kind === 'refused') throw attempted.reason;
      const events = toNewEvents(target, attempted.events, known.revision, context, context.chain ?? attempted.chain);
      if (events.length === 0) return { state: known.state, events, result: attempted.result };
      // The caller may have been answered while the stream was read.
      signal.throwIfAborted();
      const appended = await this.store.append(target.stream, known.revision, events, signal);
      if (appended.kind === 'appended') {
        const state = remember(states, target, known, events, appended);
        context.recordAppend(appended.place, events);
        return { state, events, result: attempted.result };
      }
      mayLag = false;
    }
    throw tooContended(target.stream);
  }

  /** Appending the identical events again answers with their position, which the caller waits for. */
  private async answerRepeat<State, Event extends EventBody, Result>(
    states: StreamStates,
    target: StreamTarget<State, Event>,
    earlier: readonly StreamEvent[],
    context: CommandContext,
    signal: AbortSignal,
  ): Promise<CommandResult<State, Event, Result>> {
    const first = earlier[0]?.revision ?? 0;
    const expected: ExpectedRevision = first === 0 ? 'no stream' : first - 1;
    const appended = await this.store.append(target.stream, expected, earlier, signal);
    if (appended.kind === 'appended') context.recordAppend(appended.place, []);
    const { state } = await states.load(target);
    // The command that appended them was decided by the same decider.
    return { state, events: earlier as unknown as (Event & NewEvent)[], result: undefined };
  }
}

function remember<State, Event extends EventBody>(
  states: StreamStates,
  target: StreamTarget<State, Event>,
  known: FoldedStream<State>,
  events: readonly (Event & NewEvent)[],
  { revision }: AppendResult & { kind: 'appended' },
): State {
  const state = events.reduce((folded, event) => target.decider.evolve(folded, event), known.state);
  states.appended(target, known, { state, revision, lastEventId: events.at(-1)?.id ?? null });
  return state;
}

const tooContended = (stream: string): TooContended => new TooContended(`too many concurrent writes to ${stream}; retry shortly`);

/** The kind of thing that a stream is about. */
const nounOf = (stream: string): string => stream.slice(0, Math.max(stream.indexOf('-'), 0)) || stream;

/** Aborts after the time of a command, or when its client disconnects. */
class CommandLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(
    timeoutMs: number,
    private readonly client: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => {
      this.controller.abort(new StoreUnavailable('the event store did not answer in time; try again'));
    }, timeoutMs);
    client?.addEventListener('abort', this.onDisconnect);
    if (client?.aborted === true) this.onDisconnect();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.client?.removeEventListener('abort', this.onDisconnect);
  }

  private readonly onDisconnect = (): void => {
    this.controller.abort(new CommandAbandoned());
  };
}
