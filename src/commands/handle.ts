import { KeyedMutex } from '../kernel/keyed-mutex.ts';
import type { Decide, Decider } from '../kernel/decider.ts';
import { DomainError } from '../kernel/errors.ts';
import type { EventBody, NewEvent, StreamEvent } from '../kernel/event.ts';
import type { AppendResult, EventStore, ExpectedRevision } from '../event-store/event-store.ts';
import { upcast } from '../domain/events.ts';
import type { CommandContext } from './context.ts';
import { dress, revisionNumber } from './dress.ts';
import { StateCache } from './state-cache.ts';

/** Closed while the read models are too far behind: a write that nobody could read soon is refused before it is appended. */
export interface Gate {
  /** Throws when closed. */
  check(): void;
}

export class TooContended extends DomainError {
  readonly code = 'TOO_CONTENDED';
}

/** One stream, how to fold it, and the project or account that it belongs to. */
export interface Target<State, Event extends EventBody> {
  readonly stream: string;
  readonly scope: string;
  readonly decider: Decider<State, Event>;
}

export interface Outcome<State, Event extends EventBody> {
  readonly state: State;
  readonly events: readonly (Event & NewEvent)[];
}

interface Loaded<State> {
  readonly state: State;
  readonly revision: ExpectedRevision;
  /** The id of the event at that revision. */
  readonly last: string | null;
}

interface Found<State> extends Loaded<State> {
  /** What this very command wrote when it was carried out before. */
  readonly done: readonly StreamEvent[];
}

const ATTEMPTS = 12;

const before = (revision: number): ExpectedRevision => (revision === 0 ? 'no stream' : revision - 1);

/** Load, decide, append; on a conflict fold what came in between and decide again. */
export class Handling {
  private readonly cache = new StateCache();
  /** A hundred writers of one stream would make each other decide again until they gave up. Conflicts are left to other instances. */
  private readonly locks = new KeyedMutex();

  constructor(
    private readonly store: EventStore,
    private readonly gate: Gate,
  ) {}

  async change<State, Event extends EventBody>(
    target: Target<State, Event>,
    context: CommandContext,
    decide: Decide<State, Event>,
  ): Promise<Outcome<State, Event>> {
    this.gate.check();
    return this.locks.runExclusive(target.stream, () => this.carryOut(target, context, decide));
  }

  private async carryOut<State, Event extends EventBody>(
    target: Target<State, Event>,
    context: CommandContext,
    decide: Decide<State, Event>,
  ): Promise<Outcome<State, Event>> {
    let loaded: Loaded<State> | null = context.repeat ? null : this.cache.get<State>(target.decider, target.stream);
    let isFresh = loaded === null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (loaded === null) {
        const fresh = await this.load(target, context.repeat ? context.commandId : null);
        if (fresh.done.length > 0) return this.settled(target, fresh, context);
        loaded = fresh;
        isFresh = true;
      }
      const known: Loaded<State> = loaded;
      // An append finds out by itself whether the cache is behind; a decision to do nothing, or a refusal, does not.
      const decided = decideOr(decide, known.state);
      if (!isFresh && (decided.kind === 'refused' || decided.events.length === 0)) {
        loaded = null;
        continue;
      }
      if (decided.kind === 'refused') throw decided.reason;
      const events = dress(target, decided.events, known.revision, context);
      if (events.length === 0) return { state: known.state, events };
      const result = await this.store.append(target.stream, known.revision, events);
      if (result.kind === 'appended') return this.remember(target, known, events, result, context);
      // The cache keeps what it knows: loading reads on from there.
      loaded = null;
    }
    throw new TooContended(`${target.stream} is changed by too many at once; try again`);
  }

  /** For a command that does something else before it appends: refused as early as its append would be. */
  refuseWhileBehind(): void {
    this.gate.check();
  }

  /** Whether this very command wrote something here before. */
  async wasCarriedOut<State, Event extends EventBody>(target: Target<State, Event>, context: CommandContext): Promise<boolean> {
    return context.repeat && (await this.load(target, context.commandId)).done.length > 0;
  }

  /** Today's state, for a decision that looks at a second stream. */
  async read<State, Event extends EventBody>(target: Target<State, Event>): Promise<State> {
    return (await this.load(target, null)).state;
  }

  private async load<State, Event extends EventBody>(target: Target<State, Event>, commandId: string | null): Promise<Found<State>> {
    const { decider, stream } = target;
    const known = commandId === null ? this.cache.get<State>(decider, stream) : null;
    const begun: Loaded<State> = { state: decider.initial, revision: 'no stream', last: null };
    let found = await this.fold(target, known ?? begun, commandId);
    if (found === null) {
      this.cache.drop(decider, stream);
      found = (await this.fold(target, begun, commandId)) ?? { ...begun, done: [] };
    }
    const { state, revision, last, done } = found;
    if (revision !== 'no stream' && last !== null) this.cache.set(decider, stream, { state, revision, last });
    return { state, revision, last, done };
  }

  /** Null: what was known stands in the stream no more. A database may lose its last moment, as in a failover, while this process goes on. */
  private async fold<State, Event extends EventBody>(
    { stream, decider }: Target<State, Event>,
    known: Loaded<State>,
    commandId: string | null,
  ): Promise<Found<State> | null> {
    let { state, revision, last } = known;
    let isThere = last === null;
    const done: StreamEvent[] = [];
    for await (const event of this.store.readStream(stream, { from: Math.max(revisionNumber(revision), 0) })) {
      if (!isThere) {
        if (event.revision !== known.revision || event.id !== last) return null;
        isThere = true;
        continue;
      }
      state = decider.evolve(state, upcast(event) as unknown as Event);
      ({ revision, id: last } = event);
      if (event.meta.commandId === commandId) done.push(event);
    }
    return isThere ? { state, revision, last, done } : null;
  }

  private async settled<State, Event extends EventBody>(
    target: Target<State, Event>,
    found: Found<State>,
    context: CommandContext,
  ): Promise<Outcome<State, Event>> {
    const first = found.done[0];
    if (first === undefined) return { state: found.state, events: [] };
    // The identical append is answered with its place, which the reader of this answer has to wait for.
    const again = await this.store.append(target.stream, before(first.revision), found.done);
    if (again.kind === 'appended') context.wrote(again.place);
    return { state: found.state, events: found.done as unknown as (Event & NewEvent)[] };
  }

  private remember<State, Event extends EventBody>(
    target: Target<State, Event>,
    known: Loaded<State>,
    events: readonly (Event & NewEvent)[],
    result: AppendResult & { kind: 'appended' },
    context: CommandContext,
  ): Outcome<State, Event> {
    const state = events.reduce((folded, event) => target.decider.evolve(folded, event), known.state);
    const last = events.at(-1)?.id;
    if (last !== undefined) this.cache.set(target.decider, target.stream, { state, revision: result.revision, last });
    context.wrote(result.place);
    return { state, events };
  }
}

type Decided<Event> =
  { readonly kind: 'decided'; readonly events: readonly Event[] } | { readonly kind: 'refused'; readonly reason: unknown };

function decideOr<State, Event extends EventBody>(decide: Decide<State, Event>, state: State): Decided<Event> {
  try {
    return { kind: 'decided', events: decide(state) };
  } catch (reason) {
    return { kind: 'refused', reason };
  }
}
