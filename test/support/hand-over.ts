import type { CommandContext } from '../../src/platform/commands/context.ts';
import type { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import { AcceptTransfer, AcceptTransferHandler, OfferTransfer, OfferTransferHandler } from '../../src/projects/transfer.commands.ts';
import type { Plans } from '../../src/accounts/plan.ts';
import type { Claims } from '../../src/platform/postgres/claims.ts';
import type { Invitations } from '../../src/accounts/tokens/invitations.ts';

export interface HandOverParts {
  readonly runner: CommandRunner;
  readonly claims: Claims;
  readonly plans: Plans;
  readonly invitations: Invitations;
}

const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };

/** Offers a project and accepts it in the name of the receiver. */
export async function handOver(
  { runner, claims, plans, invitations }: HandOverParts,
  context: () => CommandContext,
  { projectId, by, to }: { readonly projectId: string; readonly by: number; readonly to: number },
): Promise<void> {
  const expiresAt = new Date(Date.parse(context().occurredAt) + 1_000);
  await new OfferTransferHandler(runner, invitations, secrets).execute(new OfferTransfer(context(), { projectId, to, by, expiresAt }));
  const offer = (await invitations.of(to)).find((stored) => stored.kind === 'owner' && stored.projectId === projectId);
  await new AcceptTransferHandler(runner, invitations, claims, plans).execute(
    new AcceptTransfer(context(), { transferId: offer?.id ?? '', userId: to }),
  );
}
