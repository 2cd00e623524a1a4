import { catalogue } from '../../events.ts';
import type { ExpectedRevision } from '../event-store/event-store.ts';
import type { EventEntry } from '../../kernel/catalogue.ts';
import type { EventChain, EventBody, NewEvent } from '../../kernel/event.ts';
import { eventId } from '../../kernel/ids.ts';
import type { CommandContext } from './context.ts';

export const revisionNumber = (revision: ExpectedRevision): number => (revision === 'no stream' ? -1 : revision);

/** Adds what an append needs to the events of a decision: derived id, version, scope and metadata. */
export function toNewEvents<Event extends EventBody>(
  target: { readonly stream: string; readonly scope: string },
  bodies: readonly Event[],
  revision: ExpectedRevision,
  context: CommandContext,
  chain: EventChain | null = context.chain,
): readonly (Event & NewEvent)[] {
  const first = revisionNumber(revision) + 1;
  const root = eventId(context.commandId, target.stream, first);
  const traceparent = traceparentOf(context, chain);
  return bodies.map((body, index) => ({
    ...body,
    id: eventId(context.commandId, target.stream, first + index),
    version: (catalogue as Readonly<Record<string, EventEntry>>)[body.type]?.version ?? 1,
    scope: target.scope,
    meta: {
      actor: context.actor,
      correlationId: chain?.correlationId ?? root,
      causationId: chain?.causationId ?? (index === 0 ? null : root),
      commandId: context.commandId,
      occurredAt: context.occurredAt,
      ...(context.requestHash === undefined ? {} : { requestHash: context.requestHash }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(context.apply === undefined ? {} : { apply: context.apply }),
    },
  }));
}

/** A chain is one trace: events that their decision added to a chain belong to its trace, and not to the one in which they were decided. */
const traceparentOf = (context: CommandContext, chain: EventChain | null): string | undefined =>
  context.chain === null && chain !== null ? chain.traceparent : (context.traceparent ?? chain?.traceparent);
