import type { AppendPosition } from '../event-store/event-store.ts';
import type { Actor, EventChain } from '../kernel/event.ts';
import { randomId } from '../kernel/ids.ts';

/** Who asks, and under which name: everything that an event's metadata says, and where the command tells what it wrote. */
export interface CommandContext {
  readonly actor: Actor;
  /** Derived from caller and `Idempotency-Key`, else random. */
  readonly commandId: string;
  /** The chain that this command belongs to; null begins one with its first event. */
  readonly chain: EventChain | null;
  readonly occurredAt: string;
  readonly requestHash?: string;
  /** The command may have been carried out before: look for its id in the stream before deciding again. */
  readonly repeat: boolean;
  /** Called with the place of every append, so that the answer can wait until reads show it. */
  readonly wrote: (place: AppendPosition) => void;
}

/** The context of something that the service does by itself. */
export function ownContext(
  actor: Actor,
  now: number,
  given: Partial<Pick<CommandContext, 'commandId' | 'chain' | 'repeat' | 'wrote'>> = {},
): CommandContext {
  return {
    actor,
    commandId: given.commandId ?? randomId(),
    chain: given.chain ?? null,
    occurredAt: new Date(now).toISOString(),
    repeat: given.repeat ?? given.commandId !== undefined,
    wrote: given.wrote ?? (() => undefined),
  };
}
