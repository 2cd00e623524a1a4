import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest, FastifyInstance, FastifyReply } from 'fastify';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { Plans, mustHaveFactor } from '../accounts/plan.ts';
import { projectsOf } from './status-page.settings.ts';
import { projectView } from '../projects/project.view.ts';
import type { StatusPageRow } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Principals } from '../accounts/sign-in/principals.ts';
import { ConsoleSessions } from '../accounts/sign-in/session/console-sessions.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { accessOf, mayUse } from '../accounts/rights/project-rights.ts';
import { DomainError, RefusedUnderLoad } from '../kernel/errors.ts';
import { isTransientDatabaseError } from '../platform/postgres/transient-database-error.ts';
import { networkOf } from '../platform/security/networks.ts';
import { PageLinks, type PageReader } from './page/page-address.ts';
import { lockedPage, unavailablePage } from './page/shell.ts';
import { RateLimiter, applyRateLimit } from '../accounts/budgets/rate-limit.ts';
import { answerOf } from '../platform/http/errors/answer-of.ts';
import { sendUncached } from './page-answers.ts';
import type { ServedPage } from './page-cache.ts';
import { PageHosts } from './page-hosts.ts';
import { PagePasswords } from './page-passwords.ts';
import { languageOf, PublicPages } from './public-pages.ts';

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

interface PageRequest {
  Params: { slug: string; key: string; n: string; from: string; to: string };
  Querystring: { lang?: unknown; asOf?: unknown; token?: unknown };
  Body: string;
}
export type StatusRequest = FastifyRequest<PageRequest>;
/** Answers, or answers false: as if there were no such page. A reply is never returned: it is a thenable, which waits for the end of the answer. */
export type PageHandler = (served: ServedPage, request: StatusRequest, reply: FastifyReply) => Promise<boolean>;
export type StatusWork = (request: StatusRequest, reply: FastifyReply) => Promise<void>;

const RETRY_SECONDS = 5;
/** Fifty items of a form. */
const MAX_FORM = 4_096;

/** Opens status pages to those who may see them; every other slug is answered alike, whether there is a page or not. */
@Injectable()
export class PageDoor {
  private readonly logger = new Logger('status pages');

  constructor(
    private readonly pages: PublicPages,
    private readonly passwords: PagePasswords,
    private readonly members: PageMembers,
    private readonly limiter: RateLimiter,
    @Inject(PageHosts) private readonly hosts: Pick<PageHosts, 'baseFor'>,
  ) {}

  /** On Fastify itself, so that a reader needs no token, and no database for a page in memory. */
  add(fastify: FastifyInstance, url: string, work: StatusWork, method: 'GET' | 'POST' = 'GET'): void {
    fastify.route<PageRequest>({
      method,
      url,
      handler: (request, reply) => {
        void this.guarded(request, reply, work);
      },
    });
  }

  /** Routes that take a form. */
  addForms(fastify: FastifyInstance, routes: Readonly<Record<string, StatusWork>>): void {
    void fastify.register((scoped, _options, done) => {
      scoped.removeContentTypeParser('*');
      scoped.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: MAX_FORM },
        (_request, body, parsed) => {
          parsed(null, body);
        },
      );
      for (const [url, work] of Object.entries(routes)) this.add(scoped, url, work, 'POST');
      done();
    });
  }

  async shown(request: StatusRequest, reply: FastifyReply, handler: PageHandler, isCounted = false): Promise<void> {
    const { slug } = request.params;
    const served = this.pages.current(slug) ?? (await this.pages.page(slug));
    const isAnswered = served !== null && (await this.isOpen(served, request)) && (await handler(served, request, reply));
    if (isAnswered) return;
    // Counted alike, whether there is a page or not.
    if (!isCounted) this.countNetwork(request, reply);
    this.locked(request, reply, false);
  }

  /** Limits by address what has to read the log. */
  limited(request: StatusRequest, reply: FastifyReply, handler: PageHandler): Promise<void> {
    this.countNetwork(request, reply);
    return this.shown(request, reply, handler, true);
  }

  locked(request: StatusRequest, reply: FastifyReply, isRefused: boolean): void {
    void reply.status(404);
    sendUncached(reply, lockedPage(this.readerOf(null, request), isRefused));
  }

  /** What the addresses of the page begin with in this answer. */
  baseOf({ params: { slug }, headers: { host } }: StatusRequest): string {
    return this.hosts.baseFor(encodeURIComponent(slug), host);
  }

  /** A null page stands for one whose existence must not be seen. */
  readerOf(served: ServedPage | null, request: StatusRequest): PageReader {
    const { lang } = request.query;
    const language = languageOf(served, lang, request.headers['accept-language']);
    return { language, links: new PageLinks(this.baseOf(request), lang === language ? language : null) };
  }

  countNetwork(request: FastifyRequest, reply: FastifyReply): void {
    const state = this.limiter.count(networkOf(request.ip));
    applyRateLimit(reply, state === null ? [] : [state]);
  }

  private isOpen({ page }: ServedPage, request: StatusRequest): boolean | Promise<boolean> {
    switch (page.settings.access) {
      case 'public':
        return true;
      case 'password':
        return this.passwords.isOpen(page, request.headers.cookie);
      case 'members':
        return this.members.isOpen(page, request);
    }
  }

  private async guarded(request: StatusRequest, reply: FastifyReply, work: StatusWork): Promise<void> {
    try {
      await work(request, reply);
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof RefusedUnderLoad)) {
        const { status, headers, body } = answerOf(error, request.id);
        void reply.status(status).headers(headers).send(body);
        return;
      }
      if (!(error instanceof RefusedUnderLoad || isTransientDatabaseError(error)))
        this.logger.error({ msg: 'a status page could not be answered', err: error });
      const page = unavailablePage(languageOf(null, request.query.lang, request.headers['accept-language']));
      void reply.status(503).header('retry-after', String(RETRY_SECONDS));
      sendUncached(reply, page);
    }
  }
}
