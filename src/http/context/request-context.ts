import type { CommandContext } from '../../commands/context.ts';

/** The command context of a request. */
export interface RequestContext extends CommandContext {
  /** Resolves once every read shows what the command wrote so far; an answer that shows a new object reads it after that. */
  readonly visible: () => Promise<void>;
}
