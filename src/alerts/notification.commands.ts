import type { NotificationEvents } from './notification.events.ts';
import { deliver, giveUp, type Notification, notificationTarget, request } from './notification.decider.ts';
import type { EventChain } from '../kernel/event.ts';
import { derivedId, eventId } from '../kernel/ids.ts';
import { type CommandContext, systemContext } from '../platform/commands/context.ts';
import type { CommandRunner } from '../platform/commands/command-runner.ts';

/** The cause of a message, whose chain the message continues. A report begins its own chain. */
export interface Cause {
  /** The scope of the project, or of the recipient's account. */
  readonly scope: string;
  readonly chain: CommandContext['chain'];
}

/** Each step of a message is written once: the ids are derived, so that a sender that died before it noted it writes nothing twice. */
export class NotificationRecord {
  constructor(private readonly runner: CommandRunner) {}

  /** Answers the cause for the following steps, and the state of the message. */
  async requested(
    cause: Cause,
    data: NotificationEvents['NotificationRequested'],
    now: number,
  ): Promise<{ readonly cause: Cause & { readonly chain: EventChain }; readonly state: Notification }> {
    const target = notificationTarget(cause.scope, data.messageId);
    const asked = context('requested', data.messageId, cause, now);
    const { state } = await this.runner.run(target, asked, (known) => request(known, data));
    // Always the first event of its stream.
    const id = eventId(asked.commandId, target.stream, 0);
    return { cause: { ...cause, chain: { ...(cause.chain ?? { correlationId: id }), causationId: id } }, state };
  }

  async delivered(cause: Cause, data: NotificationEvents['NotificationDelivered'], now: number): Promise<void> {
    const target = notificationTarget(cause.scope, data.messageId);
    await this.runner.run(target, context('delivered', data.messageId, cause, now), (state) => deliver(state, data));
  }

  async givenUp(cause: Cause, data: NotificationEvents['NotificationGivenUp'], now: number): Promise<void> {
    const target = notificationTarget(cause.scope, data.messageId);
    // It may be given up again, after its recipient has asked for more tries.
    const step = `given up ${String(data.attempts)}`;
    await this.runner.run(target, context(step, data.messageId, cause, now), (state) => giveUp(state, data));
  }
}

function context(step: string, messageId: string, { chain }: Cause, now: number): CommandContext {
  const commandId = derivedId('notification', messageId, step);
  return systemContext({ kind: 'reactor', id: 'notifier' }, now, { commandId, chain });
}
