import type { EventType, LogEventOf } from '../../events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { nameProblem } from '../../platform/read-models/authoring/define-projection.ts';
import { handledTypes } from '../../platform/read-models/authoring/handled-types.ts';
import type { Effects } from './effects.ts';

/** The beginning of a reactor that runs for the first time: `now`, the beginning of the log, an ISO 8601 instant, or a position of the log after which it begins. */
export type ReactorStart = 'now' | 'beginning' | number | (string & {});

export interface ReactorDefinition<Handled extends EventType> {
  readonly name: string;
  readonly from: ReactorStart;
  /** What to do when it happens. Repeated after a failure or a crash, so that everything outside goes through `effects`. */
  readonly on: { readonly [Type in Handled]: (event: LogEventOf<Type>, effects: Effects) => Promise<unknown> | undefined | void };
}

/** A reactor as the process of its package runs it. */
export interface Reactor {
  readonly kind: 'reactor';
  readonly name: string;
  readonly from: ReactorStart;
  readonly handles: ReadonlySet<string>;
  /** Expects an event that it handles, in today's shape. */
  react(event: LogEvent, effects: Effects): Promise<void>;
}

/** Follows the log and acts outside of it: the process manager of a team. It is never run on a rebuild. */
export function defineReactor<Handled extends EventType>({ name, from, on }: ReactorDefinition<Handled>): Reactor {
  const problem = nameProblem(name);
  if (problem !== null) throw new Error(problem.replace(/^projection/, 'reactor'));
  return {
    kind: 'reactor',
    name,
    from,
    handles: handledTypes(name, on),
    react: async (event, effects) => {
      // Cast: only events whose type is a key of `on` are passed, which the compiler cannot know.
      const handler = on[event.type as Handled] as unknown as (event: LogEvent, effects: Effects) => Promise<unknown> | undefined;
      await handler(event, effects);
    },
  };
}
