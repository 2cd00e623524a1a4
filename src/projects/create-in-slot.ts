import { randomBytes } from 'node:crypto';
import { accountTarget } from '../accounts/account.state.ts';
import { requireOpenAccount } from '../accounts/account.decider.ts';
import { ProjectCreationFailed } from './project.decider.ts';
import type { Decide, StreamTarget } from '../kernel/decider.ts';
import { DomainError } from '../kernel/errors.ts';
import type { EventBody, Sealed } from '../kernel/event.ts';
import type { Claims } from '../platform/postgres/claims.ts';
import { isTransientDatabaseError } from '../platform/postgres/transient-database-error.ts';
import type { CommandRunner } from '../platform/commands/command-runner.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import { claimProjectSlot, PROJECT_SLOT, type PlanLookup } from './project-slot.ts';

/** 96 random bits as hexadecimal digits, as an id has. */
export const newApiKey = (): string => randomBytes(12).toString('hex');

export interface SlotDependencies {
  readonly runner: CommandRunner;
  readonly claims: Claims;
  readonly plans: PlanLookup;
}

export interface ProjectInSlot<State, Event extends EventBody, Result> {
  readonly projectId: string;
  readonly payerId: number;
  readonly target: StreamTarget<State, Event>;
  readonly apiKey: () => Promise<Sealed>;
  /** Begins the stream of the project, with whatever else belongs to the same append. */
  readonly decide: (apiKey: Sealed) => Decide<State, Event, Result>;
}

/**
 * Begins the stream of a project: claim a slot, append, keep the slot. A crash in between leaves an unkept claim, which the sweeper decides by a fence in
 * the stream. Undefined: an earlier attempt of the command was found instead. Unexpected errors surface as ProjectCreationFailed
 * (docs/spec/interface.md#errors); the error filter logs the cause.
 */
export async function createInSlot<State, Event extends EventBody, Result>(
  dependencies: SlotDependencies,
  context: CommandContext,
  wanted: ProjectInSlot<State, Event, Result>,
): Promise<Result | undefined> {
  try {
    return await create(dependencies, context, wanted);
  } catch (error) {
    throw error instanceof DomainError || isTransientDatabaseError(error) ? error : new ProjectCreationFailed({ cause: error });
  }
}

async function create<State, Event extends EventBody, Result>(
  dependencies: SlotDependencies,
  context: CommandContext,
  { projectId, payerId, target, apiKey, decide }: ProjectInSlot<State, Event, Result>,
): Promise<Result | undefined> {
  const { runner, claims } = dependencies;
  // The project may have been transferred or deleted since, so a repeat claims no slot.
  if (await runner.wasRun(target, context)) {
    await runner.run(target, context, () => []);
    return undefined;
  }
  const [slot, key] = await Promise.all([
    runner
      .read(accountTarget(payerId))
      .then((payer) =>
        claimProjectSlot(dependencies, requireOpenAccount(payer), projectId, 'The project limit of your subscription is reached.'),
      ),
    apiKey(),
  ]);
  // A stream that was found empty, or whose id was not in use before.
  const { result } = await runner.run(target, context, decide(key), { assumeNew: true });
  await claims.keep(PROJECT_SLOT, slot, projectId);
  return result;
}
