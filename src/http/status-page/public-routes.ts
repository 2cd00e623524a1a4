import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../config.ts';
import { DomainError, RefusedUnderLoad } from '../../kernel/errors.ts';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import { networkOf } from '../../security/networks.ts';
import { lockedPage, unavailablePage } from '../../status-page/page/small-pages.ts';
import type { HtmlPage } from '../../status-page/page/shell.ts';
import { RateLimiter } from '../auth/rate-limiter.ts';
import { applyRateLimit } from '../budgets/rate-limit.ts';
import { answerOf } from '../errors/answer-of.ts';
import { baseUrlOf } from '../presentation/answers.ts';
import { PageMembers } from './page-members.ts';
import { PagePasswords } from './page-passwords.ts';
import { languageOf, PublicPages, type StatusForm, statusForms } from './public-pages.ts';
import { compressed, htmlBody, type ServedBody } from './served-body.ts';
import type { ServedPage } from './page-cache.ts';

interface PageRequest {
  Params: { slug: string; key: string; n: string };
  Querystring: { lang?: unknown; asOf?: unknown };
  Body: string;
}
type Request = FastifyRequest<PageRequest>;
/** Answers, or answers false: as if there were no such page. A reply is never returned: it is a thenable, which waits for the end of the answer. */
type Handler = (served: ServedPage, request: Request, reply: FastifyReply) => Promise<boolean>;

/** How long a proxy or a browser may show a page without asking again: a change has to be seen soon. */
const CACHED = 'public, max-age=2';
const CACHED_PAST = 'public, max-age=60';
const RETRY_SECONDS = 5;
const MAX_FORM = 1_024;

/** Status pages for outsiders: on Fastify itself, so that they need no token, and no database for a page in memory. */
@Injectable()
export class PublicStatusRoutes implements OnModuleInit {
  private readonly logger = new Logger('status pages');

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(PublicPages) private readonly pages: PublicPages,
    @Inject(PagePasswords) private readonly passwords: PagePasswords,
    @Inject(PageMembers) private readonly members: PageMembers,
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    this.add(fastify, '/status/:slug', (request, reply) => this.page(request, reply));
    for (const form of statusForms)
      this.add(fastify, `/status/:slug/${form}`, (request, reply) => this.shown(request, reply, this.inForm(form)));
    this.add(fastify, '/status/:slug/record/:key', (request, reply) => this.limited(request, reply, this.record));
    this.add(fastify, '/status/:slug/proof/:n', (request, reply) => this.limited(request, reply, this.proof));
    void fastify.register((scoped, _options, done) => {
      scoped.removeContentTypeParser('*');
      scoped.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: MAX_FORM },
        (_request, body, parsed) => {
          parsed(null, body);
        },
      );
      this.add(scoped, '/status/:slug/password', (request, reply) => this.password(request, reply), 'POST');
      done();
    });
  }

  private add(fastify: FastifyInstance, url: string, work: (request: Request, reply: FastifyReply) => Promise<void>, method = 'GET'): void {
    fastify.route<PageRequest>({
      ...{ method, url },
      handler: (request, reply) => {
        void this.guarded(request, reply, work);
      },
    });
  }

  private async page(request: Request, reply: FastifyReply): Promise<void> {
    const { asOf } = request.query;
    if (asOf !== undefined && asOf !== '') return this.limited(request, reply, this.past);
    return this.shown(request, reply, this.present);
  }

  private readonly present: Handler = async (served, request, reply) => {
    const body = await this.pages.now(served, languageOf(served, request.query.lang, request.headers['accept-language']));
    send(request, reply, body, cacheOf(served));
    return true;
  };

  private readonly inForm =
    (form: StatusForm): Handler =>
    async (served, request, reply) => {
      const origin = baseUrlOf(request, this.config).replace(/\/api$/, '');
      send(request, reply, await this.pages.form(served, form, origin), cacheOf(served));
      return true;
    };

  private readonly past: Handler = async (served, request, reply) => {
    const { lang, asOf = '' } = request.query;
    const { status, body } = await this.pages.asOf(served, String(asOf), languageOf(served, lang, request.headers['accept-language']));
    void reply.status(status);
    send(request, reply, body, status === 200 && served.page.settings.access === 'public' ? CACHED_PAST : 'no-store');
    return true;
  };

  private readonly record: Handler = async (served, request, reply) => {
    const language = languageOf(served, request.query.lang, request.headers['accept-language']);
    const found = await this.pages.record(served, request.params.key, language);
    if (found !== null) send(request, reply, found.body, cacheOf(served));
    return found !== null;
  };

  private readonly proof: Handler = async (served, request, reply) => {
    const found = /^\d{1,15}$/.test(request.params.n) ? await this.pages.proof(served, Number(request.params.n)) : null;
    if (found !== null) void reply.header('cache-control', cacheOf(served)).send(found);
    return found !== null;
  };

  private async password(request: Request, reply: FastifyReply): Promise<void> {
    this.countNetwork(request, reply);
    const { slug } = request.params;
    const served = await this.pages.page(slug);
    const password = new URLSearchParams(typeof request.body === 'string' ? request.body : '').get('password') ?? '';
    const client = { address: request.ip, isSecure: baseUrlOf(request, this.config).startsWith('https:') };
    const cookie = await this.passwords.open(slug, served?.page ?? null, password.slice(0, 200), client);
    if (cookie === null) await this.locked(request, reply, true);
    else void reply.header('set-cookie', cookie).redirect(`/status/${slug}`, 303);
  }

  /** What costs a look at the log is limited by address. */
  private limited(request: Request, reply: FastifyReply, handler: Handler): Promise<void> {
    this.countNetwork(request, reply);
    return this.shown(request, reply, handler);
  }

  /** Answers for a page that the reader may see; every other slug is answered alike, whether there is a page or not. */
  private async shown(request: Request, reply: FastifyReply, handler: Handler): Promise<void> {
    const { slug } = request.params;
    const served = this.pages.current(slug) ?? (await this.pages.page(slug));
    const isAnswered = served !== null && (await this.isOpen(served, request)) && (await handler(served, request, reply));
    if (!isAnswered) await this.locked(request, reply, false);
  }

  private isOpen({ page }: ServedPage, request: Request): boolean | Promise<boolean> {
    switch (page.settings.access) {
      case 'public':
        return true;
      case 'password':
        return this.passwords.isOpen(page, request.headers.cookie);
      case 'members':
        return this.members.isOpen(page, request);
    }
  }

  private async guarded(
    request: Request,
    reply: FastifyReply,
    work: (request: Request, reply: FastifyReply) => Promise<void>,
  ): Promise<void> {
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
      await sendUncached(request, reply, page);
    }
  }

  private locked(request: Request, reply: FastifyReply, isRefused: boolean): Promise<void> {
    const language = languageOf(null, request.query.lang, request.headers['accept-language']);
    void reply.status(404);
    return sendUncached(request, reply, lockedPage(encodeURIComponent(request.params.slug), language, isRefused));
  }

  private countNetwork(request: Request, reply: FastifyReply): void {
    const state = this.limiter.count(networkOf(request.ip));
    applyRateLimit(reply, state === null ? [] : [state]);
  }
}

const cacheOf = ({ page, staleSince }: ServedPage): string =>
  page.settings.access !== 'public' ? 'private, no-store' : staleSince === null ? CACHED : 'no-store';

const sendUncached = async (request: FastifyRequest, reply: FastifyReply, page: HtmlPage): Promise<void> => {
  send(request, reply, await compressed(htmlBody(page)), 'no-store');
};

function send(request: FastifyRequest, reply: FastifyReply, { type, plain, gzip, br, etag, policy }: ServedBody, cache: string): void {
  const { 'accept-encoding': accepted = '', 'if-none-match': held } = request.headers;
  void reply.headers({ 'cache-control': cache, etag, vary: 'Accept-Encoding, Accept-Language, Cookie', 'content-security-policy': policy });
  if (reply.statusCode === 200 && held?.includes(etag) === true) {
    void reply.status(304).send();
    return;
  }
  void reply.type(type);
  if (/\bbr\b/.test(accepted)) void reply.header('content-encoding', 'br').send(br);
  else if (/\bgzip\b/.test(accepted)) void reply.header('content-encoding', 'gzip').send(gzip);
  else void reply.send(plain);
}
