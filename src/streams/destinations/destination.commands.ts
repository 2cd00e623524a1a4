import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import type { DestinationFilter, DestinationKind, DestinationSettings, PauseReason } from './destination.settings.ts';
import {
  addDestination,
  changeDestination,
  type DestinationEvent,
  type Destinations,
  destinations,
  installationTarget,
  pauseDestination,
  removeDestination,
  replayDestination,
  resumeDestination,
} from './destination.decider.ts';
import { ownerScope } from '../../kernel/stream-names.ts';
import type { Sealed } from '../../kernel/event.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { inOpenProject } from '../../projects/project-stream.ts';
import { webhookSecretOf } from '../../platform/outbox/standard-webhooks.ts';
import { destinationTagIn } from './destination.view.ts';

const runOfProject = inOpenProject(destinations);

/** The id of a project; null: the installation. */
export type DestinationOwner = string | null;

async function run(
  runner: CommandRunner,
  owner: DestinationOwner,
  context: CommandContext,
  decide: (destinations: Destinations) => readonly DestinationEvent[],
): Promise<void> {
  if (owner === null) await runner.run(installationTarget, context, decide);
  else await runOfProject(runner, owner, context, decide);
}

/** As a client gives it. */
export interface WantedDestination {
  readonly kind: DestinationKind;
  readonly name: string;
  readonly host: string;
  readonly filter: DestinationFilter;
  /** In the clear. */
  readonly values: Readonly<Record<string, string>>;
}

async function sealedValues(
  keyring: Keyring,
  owner: DestinationOwner,
  values: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, Sealed>>> {
  const sealed = Object.entries(values).map(async ([name, text]) => [name, await keyring.seal(ownerScope(owner), text)] as const);
  return Object.fromEntries(await Promise.all(sealed));
}

export interface AddedDestination {
  readonly destinationId: string;
  /** The key of the signatures, shown this once. */
  readonly secret: string;
}

export class AddDestination extends CommandOf<
  { owner: DestinationOwner; wanted: WantedDestination & { readonly after: number; readonly by: number } },
  AddedDestination
> {}

@CommandHandler(AddDestination)
export class AddDestinationHandler implements ICommandHandler<AddDestination> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { owner, wanted } }: AddDestination): Promise<AddedDestination> {
    const destinationId = await newObjectId(this.secrets, context);
    const secret = await webhookSecretOf(this.secrets, context.commandId);
    const values = await sealedValues(this.keyring, owner, { ...wanted.values, secret });
    await run(this.runner, owner, context, (present) => addDestination(present, { ...wanted, destinationId, values }));
    return { destinationId, secret };
  }
}

/** What is missing stays. */
export class ChangeDestination extends CommandOf<{
  owner: DestinationOwner;
  destinationId: string;
  by: number;
  wanted: Partial<Omit<WantedDestination, 'kind'>>;
}> {}

@CommandHandler(ChangeDestination)
export class ChangeDestinationHandler implements ICommandHandler<ChangeDestination> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
  ) {}

  async execute({ context, fields: { owner, destinationId, by, wanted } }: ChangeDestination): Promise<void> {
    const { values = {}, ...plain } = wanted;
    const sealed = await sealedValues(this.keyring, owner, values);
    const change = (before: DestinationSettings): DestinationSettings => ({
      ...before,
      ...plain,
      values: { ...before.values, ...sealed },
    });
    await run(this.runner, owner, context, (present) => {
      requireMatch(context, () => destinationTagIn(destinationId, present));
      return changeDestination(present, destinationId, by, change);
    });
  }
}

export class PauseDestination extends CommandOf<{ owner: DestinationOwner; destinationId: string; reason: PauseReason }> {}

@CommandHandler(PauseDestination)
export class PauseDestinationHandler implements ICommandHandler<PauseDestination> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { owner, destinationId, reason } }: PauseDestination): Promise<void> {
    await run(this.runner, owner, context, (present) => pauseDestination(present, destinationId, reason));
  }
}

export class ResumeDestination extends CommandOf<{ owner: DestinationOwner; destinationId: string; by: number }> {}

@CommandHandler(ResumeDestination)
export class ResumeDestinationHandler implements ICommandHandler<ResumeDestination> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { owner, destinationId, by } }: ResumeDestination): Promise<void> {
    await run(this.runner, owner, context, (present) => resumeDestination(present, destinationId, by));
  }
}

export class ReplayDestination extends CommandOf<{
  owner: DestinationOwner;
  replay: { readonly destinationId: string; readonly after: number; readonly scope: string | null; readonly by: number };
}> {}

@CommandHandler(ReplayDestination)
export class ReplayDestinationHandler implements ICommandHandler<ReplayDestination> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { owner, replay } }: ReplayDestination): Promise<void> {
    await run(this.runner, owner, context, (present) => replayDestination(present, replay));
  }
}

export class RemoveDestination extends CommandOf<{ owner: DestinationOwner; destinationId: string }> {}

@CommandHandler(RemoveDestination)
export class RemoveDestinationHandler implements ICommandHandler<RemoveDestination> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { owner, destinationId } }: RemoveDestination): Promise<void> {
    await run(this.runner, owner, context, (present) => {
      requireMatch(context, () => destinationTagIn(destinationId, present));
      return removeDestination(present, destinationId);
    });
  }
}
