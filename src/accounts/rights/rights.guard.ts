import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FACTOR_REQUIRED, NOT_CONFIRMED } from '../account.settings.ts';
import { Plans, hasApiAccess, mustHaveFactor } from '../plan.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { Log } from '../../platform/log/log.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { AsOf } from '../../platform/http/as-of/as-of.ts';
import { stateInstant } from '../../platform/http/as-of/as-of-answers.ts';
import { AsOfResolver } from '../../platform/http/as-of/as-of-resolver.ts';
import { answersAsOf } from '../../platform/http/as-of/as-of-routes.ts';
import { Forbidden, NotAuthenticated, NotFound } from '../../platform/http/errors/refusals.ts';
import { KeyedWrites } from '../../platform/http/idempotency/keyed-writes.ts';
import { ProjectDirectory } from './project-directory.ts';
import { accessOf, type MemberAccess, mayUse } from './project-rights.ts';
import type { ProjectRight, Right } from './right.ts';
import { ScopeCheck } from '../tokens/token-uses.ts';
import { coversProject, requireScopes, scopeOf } from './scopes.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { accessSlot, ReceiptRequests, receiptTimeSlot, rightSlot } from './request-right.ts';
import { asOfSlot, namedIdsSlot, positionSlot, principalSlot, refusalSlot } from '../../platform/http/context/request-state.ts';

/** Authorises a request by the right that its route states, which the token guard has resolved, and keeps the project that it read for the handler. */
@Injectable()
export class RightsGuard implements CanActivate {
  private readonly logger = new Logger('rights');

  constructor(
    private readonly views: ViewsAt,
    private readonly plans: Plans,
    private readonly asOf: AsOfResolver,
    private readonly keyedWrites: KeyedWrites,
    @Optional() @Inject(ReceiptRequests) private readonly receipts: ReceiptRequests | undefined,
    private readonly log: Log,
    @Inject(CONFIG) private readonly config: Pick<Config, 'retentionDays' | 'secondFactorRoles'>,
    private readonly scopes: ScopeCheck,
    private readonly projects: ProjectDirectory,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    await this.authorize(request);
    stateInstant(request, http.getResponse<FastifyReply>(), this.config.retentionDays);
    const [right, principal] = [rightSlot.get(request), principalSlot.get(request)];
    const scope = right === undefined ? null : scopeOf(right);
    if (principal !== undefined && scope !== null) this.scopes.record(principal, [scope]);
    return true;
  }

  private async authorize(request: FastifyRequest): Promise<void> {
    const [right, principal] = [rightSlot.get(request), principalSlot.get(request)];
    if (right === undefined) {
      const msg = 'the route is closed: it states no right with @Needs(…)';
      this.logger.error({ msg, method: request.method, route: request.routeOptions.url });
      throw new Forbidden();
    }
    if (right.kind === 'public') return;
    // Before the first read, so that the answer never states more than it shows.
    positionSlot.set(request, this.views.now().position());
    if (principal === undefined) throw new NotAuthenticated();
    // Checked before any object is read, so that a refusal discloses nothing about objects.
    const scope = scopeOf(right);
    if (scope !== null) requireScopes(principal, [scope]);
    const asked = this.receipts?.timeOf(request) ?? null;
    if (asked !== null) {
      receiptTimeSlot.set(request, await asked);
      // Read from the database: the position that this instance knows may be older than what the tables show.
      positionSlot.set(request, await this.views.snapshot((views) => Promise.resolve(views.position())));
    }
    if (!principal.confirmed && !(right.kind === 'account' && right.unconfirmed)) throw new Forbidden(NOT_CONFIRMED);
    const isEnrolling = right.kind === 'account' && right.enrolling;
    if (!isEnrolling && !principal.hasFactor && mustHaveFactor(principal, this.plans, this.config)) throw new Forbidden(FACTOR_REQUIRED);
    if (right.kind === 'account') return this.resolveInstant(request);
    if (!hasApiAccess(principal, this.plans)) throw new Forbidden('Your plan does not support API access.');
    if (right.kind === 'caller') return this.resolveInstant(request);
    if (right.kind === 'project') await this.enterOrRepeat(right, request, principal);
    else if (!mayDo(right, principal)) throw new Forbidden();
  }

  /** Keeps the instant as of which the request asks about what belongs to the caller. */
  private async resolveInstant(request: FastifyRequest): Promise<void> {
    const asOf = await this.instantOf(request);
    if (asOf !== null) asOfSlot.set(request, asOf);
  }

  private async instantOf(request: FastifyRequest): Promise<AsOf | null> {
    const { method, query } = request;
    const { url = '' } = request.routeOptions;
    const asked = await this.asOf.ofRequest(method, url, record(query)['asOf'], projectInPath(request));
    const [receiptTime, position] = [receiptTimeSlot.get(request), positionSlot.get(request)];
    if (asked !== null || receiptTime === undefined || position === undefined || !answersAsOf(method, url)) return asked;
    // A receipt states one position exactly, so that its answer can be computed again.
    return this.asOf.exactly(position, receiptTime);
  }

  /** A write may end its own rights: repeating it with the same key, after deleting a test or leaving a project, returns the original answer. */
  private async enterOrRepeat(right: ProjectRight, request: FastifyRequest, principal: Principal): Promise<void> {
    try {
      await this.enter(right, request, principal);
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof Forbidden)) throw error;
      if (!(await this.keyedWrites.wasAccepted(principal, request))) throw error;
      refusalSlot.set(request, error);
    }
  }

  private async enter(right: ProjectRight, request: FastifyRequest, principal: Principal): Promise<void> {
    const route = request.routeOptions.url ?? '';
    const query = record(request.query);
    // Whether a commit was applied to a project is known to those who may read it.
    const isOfCommit = String(query['asOf']).startsWith('commit:');
    const stated = isOfCommit ? null : await this.instantOf(request);
    const routed = { route, params: record(request.params), query };
    const projectId = await this.projects.idOf(routed, stated?.views ?? this.views.now(), request);
    // Projects that the token is not for are answered as unknown ones (docs/spec/decisions.md#G6).
    if (projectId === null || !coversProject(principal, projectId)) throw unknownTo(right);
    const found = await this.projects.read(this.views.now(), projectId, right.withFacts);
    const row = found?.row ?? null;
    if (row === null) {
      if (await this.mayReadDeleted(projectId, right, principal)) return;
      throw unknownTo(right);
    }
    const access = accessOf(projectId, row, principal);
    if (!mayUse(access, right.needs, principal)) throw new Forbidden();
    const asOf = isOfCommit ? await this.instantOf(request) : stated;
    // Rights are those of today; only the row that is shown is that of the instant.
    const then = asOf === null ? row : await this.projects.get(asOf.views, projectId);
    if (then === null) throw unknownTo(right);
    if (asOf !== null) asOfSlot.set(request, asOf);
    const shown = asOf === null ? access : await this.accessOfReceipt(access, asOf, request, principal);
    accessSlot.set(request, { ...shown, row: then, ...(asOf === null && found?.facts !== undefined ? { facts: found.facts } : {}) });
    namedIdsSlot.set(request, { ...namedIdsSlot.get(request), projectId });
  }

  /** The role that a receipt's answer shows is that at the position which it names for the rights. */
  private async accessOfReceipt(access: MemberAccess, asOf: AsOf, request: FastifyRequest, principal: Principal): Promise<MemberAccess> {
    const [receiptTime, position] = [receiptTimeSlot.get(request), positionSlot.get(request)];
    if (receiptTime === undefined || position === undefined) return access;
    const views = asOf.n === position ? asOf.views : this.views.asOf(position);
    const row = await this.projects.get(views, access.projectId);
    return row === null ? access : accessOf(access.projectId, row, principal);
  }

  private async mayReadDeleted(projectId: string, { afterDeletion }: ProjectRight, { systemRole }: Principal): Promise<boolean> {
    if (!afterDeletion || systemRole !== 'auditor') return false;
    return (await this.log.read({ after: -1, scope: projectStream(projectId), limit: 1 })).length > 0;
  }
}

const mayDo = (right: Extract<Right, { readonly kind: 'creator' | 'system' }>, { systemRole, service }: Principal): boolean => {
  if (right.kind === 'creator') return systemRole !== 'auditor';
  if (right.who === 'reader') return systemRole !== null;
  return systemRole === 'admin' && (right.who === 'admin' || service === undefined);
};

const projectInPath = ({ params, routeOptions }: FastifyRequest): string | null => {
  const { id } = record(params);
  return routeOptions.url?.startsWith('/api/project/:id') === true && typeof id === 'string' ? id : null;
};

const record = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? { ...value } : {});

const unknownTo = (right: ProjectRight): Error => (right.unknown === 404 ? new NotFound() : new Forbidden());
