import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { Plans } from '../accounts/plan.ts';
import { projectsOf } from './status-page.settings.ts';
import { projectView } from '../projects/project.view.ts';
import type { StatusPageRow } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Principals } from '../accounts/sign-in/principals.ts';
import { ConsoleSessions } from '../accounts/sign-in/session/console-sessions.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { mustHaveFactor } from '../accounts/rights/plan-policy.ts';
import { accessOf, mayUse } from '../accounts/rights/project-rights.ts';

/** Opens pages for members: to accounts that are signed in to the console and read a project of the page. */
@Injectable()
export class PageMembers {
  constructor(
    @Inject(ConsoleSessions) private readonly sessions: Pick<ConsoleSessions, 'valueIn' | 'find'>,
    @Inject(Principals) private readonly principals: Pick<Principals, 'load'>,
    private readonly views: ViewsAt,
    private readonly plans: Plans,
    @Inject(CONFIG) private readonly config: Pick<Config, 'secondFactorRoles'>,
  ) {}

  async isOpen({ settings }: StatusPageRow, request: FastifyRequest): Promise<boolean> {
    const value = this.sessions.valueIn(request);
    const session = value === null ? null : await this.sessions.find(value);
    const principal = session === null ? null : await this.principals.load(session.tokenId, session.userId);
    if (session === null || principal?.userId !== session.userId || !this.isAdmitted(principal)) return false;
    const projects = await this.views.now().many(projectView, projectsOf(settings), 'as before');
    return [...projects.values()].some((row) => mayUse(accessOf(row.id, row, principal), 'read', principal));
  }

  /** As for every read, the address must be confirmed, and a required second factor must be set up. */
  private isAdmitted(principal: Principal): boolean {
    return principal.confirmed && (principal.hasFactor || !mustHaveFactor(principal, this.plans, this.config));
  }
}
