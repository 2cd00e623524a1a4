import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PLANS, type Plans } from '../../domain/account/plan.ts';
import { LOG, type Log } from '../../log/log.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { type ProjectRow, projectView } from '../../projections/read-models/project/project.view.ts';
import type { Principal } from '../context/principal.ts';
import { Instants } from '../as-of/instants.ts';
import { stateOf } from '../context/request-state.ts';
import { Forbidden, NotAuthenticated, NotFound } from '../errors/refusals.ts';
import { answerKey } from '../idempotency/answer-key.ts';
import { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { type KnownFacts, projectWithFacts } from '../project/project-facts.ts';
import { projectOf } from './project-of-route.ts';
import { accessOf, mayUse } from './project-rights.ts';
import type { ProjectRight } from './right.ts';
import { rightOfRoute } from './right-of-route.ts';

const PROJECT = '/api/project/:id';

/** Lets a request through when the rights table, or a team's route itself, says so, and leaves the project that it read for the handler. */
@Injectable()
export class RightsGuard implements CanActivate {
  private readonly logger = new Logger('rights');

  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(Instants) private readonly instants: Instants,
    @Inject(IdempotencyStore) private readonly answers: IdempotencyStore,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = request.routeOptions.url ?? '';
    const right = rightOfRoute(context, request);
    if (right === undefined) {
      this.logger.error(`${request.method} ${route} is closed: it has no row in the rights table; a team's route says @Needs(…) itself`);
      throw new Forbidden();
    }
    if (right === null || right.kind === 'public') return true;
    const { principal } = stateOf(request);
    if (principal === undefined) throw new NotAuthenticated();
    if (right.kind === 'account') return true;
    if (this.plans.get(principal.plan)?.apiAccess !== true) throw new Forbidden('Your plan does not support API access.');
    if (right.kind === 'caller') return true;
    if (right.kind === 'project') await this.enterOrRepeat(right, route, request, principal);
    else if (!mayDo(right, principal)) throw new Forbidden();
    return true;
  }

  /** What a write did may be the end of its own rights: who deletes a test, or leaves a project, still hears a second time what came of it. */
  private async enterOrRepeat(right: ProjectRight, route: string, request: FastifyRequest, principal: Principal): Promise<void> {
    try {
      await this.enter(right, route, request, principal);
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof Forbidden)) throw error;
      const key = request.method === 'GET' ? null : answerKey(principal, request);
      if (key === null || !(await this.answers.knows(key))) throw error;
      stateOf(request).refusal = error;
    }
  }

  private async enter(right: ProjectRight, route: string, request: FastifyRequest, principal: Principal): Promise<void> {
    const state = stateOf(request);
    const named = { route, params: record(request.params), query: record(request.query) };
    const asOf = await this.instants.of(request.method, route, named.query['asOf']);
    const projectId = await projectOf(named, asOf?.views ?? this.views.now(), state);
    const found = projectId === null ? null : await this.project(projectId, request.method, route);
    const row = found?.row ?? null;
    const auditor = principal.systemRole === 'auditor';
    if (row === null && projectId !== null && auditor && right.afterDeletion && (await this.everWas(projectId))) return;
    if (projectId === null || row === null) throw unknownTo(right);
    const access = accessOf(projectId, row, principal);
    if (!mayUse(access, right.needs, principal)) throw new Forbidden();
    // What may be done is a question of today, what is shown of the instant.
    const then = asOf === null ? row : await asOf.views.get(projectView, projectId);
    if (then === null) throw unknownTo(right);
    if (asOf !== null) state.asOf = asOf;
    state.access = { ...access, row: then, ...(asOf === null && found?.facts !== undefined ? { facts: found.facts } : {}) };
  }

  private async everWas(projectId: string): Promise<boolean> {
    return (await this.log.read({ after: -1, scope: `project-${projectId}`, limit: 1 })).length > 0;
  }

  /** With its facts where they are the answer. */
  private async project(
    projectId: string,
    method: string,
    route: string,
  ): Promise<{ readonly row: ProjectRow; readonly facts?: KnownFacts } | null> {
    const views = this.views.now();
    if (method === 'GET' && route === PROJECT) return projectWithFacts(views, projectId);
    const row = await views.get(projectView, projectId);
    return row === null ? null : { row };
  }
}

const mayDo = (
  right: { readonly kind: 'creator' } | { readonly kind: 'system'; readonly who: 'admin' | 'reader' },
  { systemRole }: Principal,
): boolean => {
  if (right.kind === 'creator') return systemRole !== 'auditor';
  return right.who === 'admin' ? systemRole === 'admin' : systemRole !== null;
};

const record = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? { ...value } : {});

const unknownTo = (right: ProjectRight): Error => (right.unknown === 404 ? new NotFound() : new Forbidden());
