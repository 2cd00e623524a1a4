import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { projectsOf } from '../../domain/status-page/settings.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import type { StatusPageRow } from '../../projections/read-models/status-page/status-page.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { Principals } from '../auth/principals.ts';
import { ConsoleSessions } from '../auth/session/console-sessions.ts';
import { accessOf, mayUse } from '../rights/project-rights.ts';

/** Opens pages for members: to whoever is signed in to the console and reads a project of the page. */
@Injectable()
export class PageMembers {
  constructor(
    @Inject(ConsoleSessions) private readonly sessions: Pick<ConsoleSessions, 'valueIn' | 'find'>,
    @Inject(Principals) private readonly principals: Pick<Principals, 'load'>,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  async isOpen({ settings }: StatusPageRow, request: FastifyRequest): Promise<boolean> {
    const value = this.sessions.valueIn(request);
    const session = value === null ? null : await this.sessions.find(value);
    const principal = session === null ? null : await this.principals.load(session.tokenId, session.userId);
    if (session === null || principal?.userId !== session.userId) return false;
    const projects = await this.views.now().many(projectView, projectsOf(settings), 'as before');
    return [...projects.values()].some((row) => mayUse(accessOf(row.id, row, principal), 'read', principal));
  }
}
