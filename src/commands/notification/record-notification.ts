import type { NotificationEvents } from '../../domain/notification/notification.events.ts';
import { deliver, giveUp, notificationTarget, request } from '../../domain/notification/notification.ts';
import { derivedId } from '../../kernel/ids.ts';
import { type CommandContext, ownContext } from '../context.ts';
import type { Handling } from '../handle.ts';

/** What led to a message: the chain of its first cause goes on in it. */
export interface Cause {
  readonly projectId: string;
  readonly correlationId: string;
  readonly causationId: string;
}

/** Each step of a message is written once: the ids are derived, so that a sender that died before it noted it writes nothing twice. */
export class NotificationRecord {
  constructor(private readonly handling: Handling) {}

  async requested(cause: Cause, data: NotificationEvents['NotificationRequested'], now: number): Promise<Cause> {
    const target = notificationTarget(cause.projectId, data.messageId);
    const { events } = await this.handling.change(target, context('requested', data.messageId, cause, now), (state) =>
      request(state, data),
    );
    const [first] = events;
    return first === undefined ? cause : { ...cause, causationId: first.id };
  }

  async delivered(cause: Cause, data: NotificationEvents['NotificationDelivered'], now: number): Promise<void> {
    const target = notificationTarget(cause.projectId, data.messageId);
    await this.handling.change(target, context('delivered', data.messageId, cause, now), (state) => deliver(state, data));
  }

  async givenUp(cause: Cause, data: NotificationEvents['NotificationGivenUp'], now: number): Promise<void> {
    const target = notificationTarget(cause.projectId, data.messageId);
    // It may be given up again, after its recipient has asked for more tries.
    const step = `given up ${String(data.attempts)}`;
    await this.handling.change(target, context(step, data.messageId, cause, now), (state) => giveUp(state, data));
  }
}

function context(step: string, messageId: string, { correlationId, causationId }: Cause, now: number): CommandContext {
  const commandId = derivedId('notification', messageId, step);
  return ownContext({ kind: 'reactor', id: 'notifier' }, now, { commandId, chain: { correlationId, causationId } });
}
