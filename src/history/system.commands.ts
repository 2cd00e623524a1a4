import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import {
  addWitnessPeer,
  declareTruncated,
  disownSealKey,
  removeWitnessPeer,
  skipForProjection,
  systemTarget,
  voidEvent,
} from './system.decider.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import type { Events } from '../events.ts';

/** Makes every fold skip an event. The event stays in the log, with the reason. */
export class VoidEvent extends CommandOf<{ event: { readonly n: number; readonly eventId: string; readonly reason: string } }> {}

@CommandHandler(VoidEvent)
export class VoidEventHandler implements ICommandHandler<VoidEvent> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { event } }: VoidEvent): Promise<void> {
    await this.runner.run(systemTarget, context, (voided) => voidEvent(voided, event));
  }
}

/** Makes one version of a team's projection skip an event that it cannot handle. */
export class SkipForProjection extends CommandOf<{ skipped: Events['ProjectionEventSkipped'] }> {}

@CommandHandler(SkipForProjection)
export class SkipForProjectionHandler implements ICommandHandler<SkipForProjection> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { skipped } }: SkipForProjection): Promise<void> {
    await this.runner.run(systemTarget, context, (passed) => skipForProjection(passed, skipped));
  }
}

/** Declares in the log that sealed events are lost, so that sealing continues. */
export class DeclareTruncated extends CommandOf<{ loss: Events['LogTruncated'] }> {}

@CommandHandler(DeclareTruncated)
export class DeclareTruncatedHandler implements ICommandHandler<DeclareTruncated> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { loss } }: DeclareTruncated): Promise<void> {
    await this.runner.run(systemTarget, context, () => declareTruncated(loss));
  }
}

/** Declares in the log that a signing key of the seal leaked. */
export class DisownSealKey extends CommandOf<{ disowned: Events['SealKeyDisowned'] }> {}

@CommandHandler(DisownSealKey)
export class DisownSealKeyHandler implements ICommandHandler<DisownSealKey> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { disowned } }: DisownSealKey): Promise<void> {
    await this.runner.run(systemTarget, context, (state) => disownSealKey(state, disowned));
  }
}

/** Records that this installation and another party witness each other's log. */
export class AddWitnessPeer extends CommandOf<{ peer: Events['WitnessPeerAdded'] }> {}

@CommandHandler(AddWitnessPeer)
export class AddWitnessPeerHandler implements ICommandHandler<AddWitnessPeer> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { peer } }: AddWitnessPeer): Promise<void> {
    await this.runner.run(systemTarget, context, () => addWitnessPeer(peer));
  }
}

/** Answers whether there was one. */
export class RemoveWitnessPeer extends CommandOf<{ url: string }, boolean> {}

@CommandHandler(RemoveWitnessPeer)
export class RemoveWitnessPeerHandler implements ICommandHandler<RemoveWitnessPeer> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { url } }: RemoveWitnessPeer): Promise<boolean> {
    const { events } = await this.runner.run(systemTarget, context, (state) => removeWitnessPeer(state, { url }));
    return events.length > 0;
  }
}
