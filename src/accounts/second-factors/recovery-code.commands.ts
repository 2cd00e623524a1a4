import { Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { accountTarget } from '../account.state.ts';
import { requireConfirmedAccount, requireOpenAccount } from '../account.decider.ts';
import { confirmFactor, generateRecoveryCodes } from '../second-factor.decider.ts';
import { type FactorKind, RECOVERY_CODES } from '../account.settings.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { RecoveryCodes } from './recovery-codes.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { SessionStore } from '../tokens/session-store.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';

export interface ConfirmedFactor {
  readonly factorId: string;
  /** In the clear, with the first factor: shown to their owner this once. */
  readonly recoveryCodes: readonly string[] | null;
}

export interface FactorToConfirm {
  readonly factorId: string;
  readonly kind: FactorKind;
  readonly name: string;
}

/** Puts a factor in force whose row is stored. */
@Injectable()
export class FactorConfirmation {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly recovery: RecoveryCodes,
    private readonly sessions: SessionStore,
    private readonly changes: AccountChanges,
  ) {}

  /**
   * The hashes of the codes are stored before the event, so that a set that is in force has its codes. After the first factor other sessions, which
   * showed a password only, count as not confirmed.
   */
  async confirm(
    context: CommandContext,
    userId: number,
    { factorId, kind, name }: FactorToConfirm,
    tokenId: string,
  ): Promise<ConfirmedFactor> {
    const setId = await newObjectId(this.secrets, context, 1);
    const [sealed, codes] = await Promise.all([
      this.keyring.seal(accountStream(userId), name),
      this.recovery.codesOf(setId, RECOVERY_CODES),
    ]);
    await this.recovery.store(userId, setId, codes);
    const { events } = await this.runner.run(accountTarget(userId), context, (account) =>
      confirmFactor(requireConfirmedAccount(account).secondFactors, { factorId, kind, name: sealed }, setId),
    );
    const isFirst = events.some(({ type }) => type === 'RecoveryCodesGenerated');
    if (isFirst) await this.sessions.unconfirmOthers(userId, tokenId);
    else await this.recovery.forgetSet(userId, setId);
    this.changes.changed(userId);
    return { factorId, recoveryCodes: isFirst ? codes : null };
  }
}

/** Answers the new codes; the earlier ones are void. */
export class GenerateRecoveryCodes extends CommandOf<{ userId: number }, readonly string[]> {}

@CommandHandler(GenerateRecoveryCodes)
export class GenerateRecoveryCodesHandler implements ICommandHandler<GenerateRecoveryCodes> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
    private readonly recovery: RecoveryCodes,
  ) {}

  async execute({ context, fields: { userId } }: GenerateRecoveryCodes): Promise<readonly string[]> {
    const setId = await newObjectId(this.secrets, context, 1);
    const codes = await this.recovery.codesOf(setId, RECOVERY_CODES);
    await this.recovery.store(userId, setId, codes);
    const { result: replaced } = await this.runner.run(accountTarget(userId), context, (account) => {
      const { secondFactors } = requireOpenAccount(account);
      return { events: generateRecoveryCodes(secondFactors, setId), result: secondFactors.recovery?.setId };
    });
    if (replaced !== undefined) await this.recovery.forgetSet(userId, replaced);
    return codes;
  }
}
