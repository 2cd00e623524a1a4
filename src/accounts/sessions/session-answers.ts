import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { Plans, mustHaveFactor } from '../plan.ts';
import { accountView } from '../account.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { People, presentAccount } from '../person.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { SessionAnswer } from './session.api.ts';

export interface ShownSession {
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Opened by a one-time link. */
  readonly byLink: boolean;
}

/** What the console has to know of the person who is signed in. */
@Injectable()
export class SessionAnswers {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'secondFactorRoles' | 'reauthenticateMinutes'>,
    private readonly plans: Plans,
    private readonly views: ViewsAt,
    private readonly people: People,
  ) {}

  async of(principal: Principal, { issuedAt, expiresAt, byLink }: ShownSession): Promise<SessionAnswer> {
    const { userId, signedInAt, systemRole } = principal;
    const row = await this.views.now().get(accountView, String(userId));
    if (row === null) throw new NotAuthenticated();
    const confirmedUntil = signedInAt === null ? null : signedInAt + this.config.reauthenticateMinutes * 60_000;
    return {
      account: presentAccount(await this.people.open(row, userId)),
      created: inUtc(issuedAt),
      expiresAt: inUtc(expiresAt),
      confirmedUntil: confirmedUntil === null ? null : inUtc(confirmedUntil),
      passwordNeeded: byLink && !row.secondFactors.some(({ kind }) => kind === 'passkey'),
      factorNeeded: !principal.hasFactor && mustHaveFactor(principal, this.plans, this.config),
      rights: { create: systemRole !== 'auditor', readAll: systemRole !== null, administer: systemRole === 'admin' },
    };
  }
}
