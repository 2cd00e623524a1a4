import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { PageLinks } from './page/page-address.ts';
import { baseUrlOf } from '../platform/http/presentation/answers.ts';
import { cacheOf, sendBody } from './page-answers.ts';
import { PageDoor, type PageHandler, type StatusRequest } from './page-door.ts';
import { PagePasswords } from './page-passwords.ts';
import { PublicPages, type StatusForm, statusForms } from './public-pages.ts';

const POSITION = /^\d{1,15}$/;
const CACHED_PAST = 'public, max-age=60';

/** Status pages for outsiders. */
@Injectable()
export class PublicStatusRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly pages: PublicPages,
    private readonly passwords: PagePasswords,
    private readonly door: PageDoor,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { door } = this;
    door.add(fastify, '/status/:slug', (request, reply) => this.page(request, reply));
    for (const form of statusForms)
      door.add(fastify, `/status/:slug/${form}`, (request, reply) => door.shown(request, reply, this.inForm(form)));
    door.add(fastify, '/status/:slug/record/:key', (request, reply) => door.limited(request, reply, this.record));
    door.add(fastify, '/status/:slug/proof/:n', (request, reply) => door.limited(request, reply, this.proof));
    door.add(fastify, '/status/:slug/record.json', (request, reply) => door.limited(request, reply, this.provenRecord));
    door.add(fastify, '/status/:slug/consistency/:from/:to', (request, reply) => door.limited(request, reply, this.consistency));
    door.addForms(fastify, { '/status/:slug/password': (request, reply) => this.password(request, reply) });
  }

  private async page(request: StatusRequest, reply: FastifyReply): Promise<void> {
    const { asOf } = request.query;
    if (asOf !== undefined && asOf !== '') return this.door.limited(request, reply, this.past);
    return this.door.shown(request, reply, this.present);
  }

  private readonly present: PageHandler = async (served, request, reply) => {
    sendBody(request, reply, await this.pages.now(served, this.door.readerOf(served, request)), cacheOf(served));
    return true;
  };

  private readonly inForm =
    (form: StatusForm): PageHandler =>
    async (served, request, reply) => {
      sendBody(request, reply, await this.pages.form(served, form, this.urlOf(request)), cacheOf(served));
      return true;
    };

  private readonly past: PageHandler = async (served, request, reply) => {
    const { asOf = '' } = request.query;
    const { status, body } = await this.pages.asOf(served, String(asOf), this.door.readerOf(served, request));
    void reply.status(status);
    sendBody(request, reply, body, status === 200 && served.page.settings.access === 'public' ? CACHED_PAST : 'no-store');
    return true;
  };

  private readonly record: PageHandler = async (served, request, reply) => {
    const found = await this.pages.record(served, request.params.key, this.door.readerOf(served, request));
    if (found !== null) sendBody(request, reply, found.body, cacheOf(served));
    return found !== null;
  };

  private readonly proof: PageHandler = async (served, request, reply) => {
    const found = POSITION.test(request.params.n) ? await this.pages.proof(served, Number(request.params.n)) : null;
    if (found !== null) void reply.header('cache-control', cacheOf(served)).send(found);
    return found !== null;
  };

  private readonly provenRecord: PageHandler = async (served, request, reply) => {
    sendBody(request, reply, await this.pages.provenRecord(served), cacheOf(served));
    return true;
  };

  private readonly consistency: PageHandler = async (served, request, reply) => {
    const { from, to } = request.params;
    const found = [from, to].every((size) => POSITION.test(size)) ? await this.pages.consistency(Number(from), Number(to)) : null;
    if (found !== null) void reply.header('cache-control', cacheOf(served)).send(found);
    return found !== null;
  };

  private async password(request: StatusRequest, reply: FastifyReply): Promise<void> {
    this.door.countNetwork(request, reply);
    const { slug } = request.params;
    const served = await this.pages.page(slug);
    const password = new URLSearchParams(typeof request.body === 'string' ? request.body : '').get('password') ?? '';
    const path = new PageLinks(this.door.baseOf(request)).home();
    const client = { address: request.ip, isSecure: this.originOf(request).startsWith('https:'), path };
    const cookie = await this.passwords.open(slug, served?.page ?? null, password.slice(0, 200), client);
    if (cookie === null) this.door.locked(request, reply, true);
    else void reply.header('set-cookie', cookie).redirect(this.door.readerOf(served, request).links.home(), 303);
  }

  private originOf(request: StatusRequest): string {
    return baseUrlOf(request, this.config).replace(/\/api$/, '');
  }

  /** The full address of the page, on the host that it was asked at. */
  private urlOf(request: StatusRequest): string {
    const [base, origin] = [this.door.baseOf(request), this.originOf(request)];
    // A page has a host of its own by `Host` alone (PageHosts).
    return base === '' ? `${new URL(origin).protocol}//${request.headers.host ?? request.host}` : `${origin}${base}`;
  }
}
