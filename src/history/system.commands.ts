import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  addWitnessPeer,
  declareTruncated,
  disownSealKey,
  removeWitnessPeer,
  skipForProjection,
  systemTarget,
  voidEvent,
} from './system.decider.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import type { Events } from '../events.ts';

/** Makes every fold skip an event. The event stays in the log, with the reason. */
export class VoidEvent extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly event: { readonly n: number; readonly eventId: string; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(VoidEvent)
export class VoidEventHandler implements ICommandHandler<VoidEvent> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, event }: VoidEvent): Promise<void> {
    await this.runner.run(systemTarget, context, (voided) => voidEvent(voided, event));
  }
}

/** Makes one version of a team's projection skip an event that it cannot handle. */
export class SkipForProjection extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly skipped: Events['ProjectionEventSkipped'],
  ) {
    super();
  }
}

@CommandHandler(SkipForProjection)
export class SkipForProjectionHandler implements ICommandHandler<SkipForProjection> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, skipped }: SkipForProjection): Promise<void> {
    await this.runner.run(systemTarget, context, (passed) => skipForProjection(passed, skipped));
  }
}

/** Declares in the log that sealed events are lost, so that sealing continues. */
export class DeclareTruncated extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly loss: Events['LogTruncated'],
  ) {
    super();
  }
}

@CommandHandler(DeclareTruncated)
export class DeclareTruncatedHandler implements ICommandHandler<DeclareTruncated> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, loss }: DeclareTruncated): Promise<void> {
    await this.runner.run(systemTarget, context, () => declareTruncated(loss));
  }
}

/** Declares in the log that a signing key of the seal leaked. */
export class DisownSealKey extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly disowned: Events['SealKeyDisowned'],
  ) {
    super();
  }
}

@CommandHandler(DisownSealKey)
export class DisownSealKeyHandler implements ICommandHandler<DisownSealKey> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, disowned }: DisownSealKey): Promise<void> {
    await this.runner.run(systemTarget, context, (state) => disownSealKey(state, disowned));
  }
}

/** Records that this installation and another party witness each other's log. */
export class AddWitnessPeer extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly peer: Events['WitnessPeerAdded'],
  ) {
    super();
  }
}

@CommandHandler(AddWitnessPeer)
export class AddWitnessPeerHandler implements ICommandHandler<AddWitnessPeer> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, peer }: AddWitnessPeer): Promise<void> {
    await this.runner.run(systemTarget, context, () => addWitnessPeer(peer));
  }
}

/** Answers whether there was one. */
export class RemoveWitnessPeer extends Command<boolean> {
  constructor(
    readonly context: CommandContext,
    readonly url: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveWitnessPeer)
export class RemoveWitnessPeerHandler implements ICommandHandler<RemoveWitnessPeer> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, url }: RemoveWitnessPeer): Promise<boolean> {
    const { events } = await this.runner.run(systemTarget, context, (state) => removeWitnessPeer(state, { url }));
    return events.length > 0;
  }
}
