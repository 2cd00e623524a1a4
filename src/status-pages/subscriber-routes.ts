import { isEmailAddress } from '../platform/http/validation/fields.ts';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import { type SignUp, SubscriberLinks } from './subscribers/subscriber-links.ts';
import { SubscriberSignUp } from './subscribers/subscriber-sign-up.ts';
import { SubscriberStore } from './subscribers/subscriber-store.ts';
import { itemsOf, noColors, type StatusPageLanguage } from './status-page.settings.ts';
import { statusPageView } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { linkBaseOf, type PageReader, pageUrlOf } from './page/page-address.ts';
import {
  linkDonePage,
  type LinkedPage,
  linkPage,
  type SubscribeForm,
  type SubscribeProblem,
  subscribePage,
  signedUpPage,
  type TypedSubscription,
} from './page/subscriber-pages.ts';
import type { HtmlPage } from './page/shell.ts';
import { sendUncached } from './page-answers.ts';
import { PageDoor, type PageHandler, type StatusRequest, type StatusWork } from './page-door.ts';
import type { ServedPage } from './page-cache.ts';
import { PageReading } from './page-reading.ts';
import { languageOf } from './public-pages.ts';

const LONGEST_EMAIL = 254;
const LONGEST_WEBHOOK = 1_000;
const STATUS: Readonly<Record<SubscribeProblem, number>> = { wrongEmail: 400, wrongWebhook: 400, wrongForm: 400, tooMany: 429 };
const RETRY_SECONDS = 600;
const CONFIRM = '/status/-/confirm';
const LEAVE = '/status/-/leave';

/** How outsiders subscribe to a page and leave it. No slug is `-`: links of mails stay valid when a slug changes. */
@Injectable()
export class SubscriberRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly door: PageDoor,
    private readonly reading: PageReading,
    private readonly signUps: SubscriberSignUp,
    private readonly links: SubscriberLinks,
    private readonly subscribers: SubscriberStore,
    private readonly views: ViewsAt,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'smtpUrl'>,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { door } = this;
    const counted =
      (work: StatusWork): StatusWork =>
      (request, reply) => {
        door.countNetwork(request, reply);
        return work(request, reply);
      };
    door.add(fastify, '/status/:slug/subscribe', (request, reply) => door.shown(request, reply, this.form));
    door.add(fastify, CONFIRM, counted(this.showConfirm));
    door.add(fastify, LEAVE, counted(this.showLeave));
    door.addForms(fastify, {
      '/status/:slug/subscribe': (request, reply) => door.limited(request, reply, this.subscribe),
      [CONFIRM]: counted(this.confirm),
      [LEAVE]: counted(this.leave),
    });
  }

  private readonly form: PageHandler = (served, request, reply) => {
    if (served.page.settings.access === 'members') return Promise.resolve(false);
    sendUncached(reply, this.formPage(served.model, { problem: null, typed: null }, this.door.readerOf(served, request)));
    return Promise.resolve(true);
  };

  private formPage(model: ServedPage['model'], form: Pick<SubscribeForm, 'problem' | 'typed'>, reader: PageReader): HtmlPage {
    return subscribePage({ model, hasMail: this.config.smtpUrl !== undefined, ...form }, reader);
  }

  private readonly subscribe: PageHandler = async (served, request, reply) => {
    const { page, model } = served;
    const { slug, title, access } = page.settings;
    if (access === 'members') return false;
    const reader = this.door.readerOf(served, request);
    const typed = readForm(request.body);
    const refuse = (problem: SubscribeProblem): boolean => {
      void reply.status(STATUS[problem]);
      if (problem === 'tooMany') void reply.header('retry-after', String(RETRY_SECONDS));
      sendUncached(reply, this.formPage(model, { problem, typed: problem === 'wrongForm' ? null : typed }, reader));
      return true;
    };
    // Another site must not sign its readers up, each from a network of their own.
    if (!['same-origin', undefined].includes(request.headers['sec-fetch-site'])) return refuse('wrongForm');
    if (typed === null || (typed.kind === 'email' && this.config.smtpUrl === undefined)) return refuse('wrongForm');
    if (typed.kind === 'email' && !isEmailAddress(typed.address)) return refuse('wrongEmail');
    const items = await this.itemsOfKeys(page, typed.keys);
    if (items === null) return refuse('wrongForm');
    const [origin, address] = [ownOrigin(this.config), { slug, hosts: page.hosts }];
    const answer = await this.signUps.ask({
      page: { pageId: page.pageId, title, url: pageUrlOf(address, origin) },
      kind: typed.kind,
      address: typed.address,
      items,
      language: reader.language,
      from: request.ip,
      confirmUrl: `${linkBaseOf(address, origin)}/confirm?token=`,
    });
    if (answer.kind !== 'sent') return refuse(answer.kind === 'too many' ? 'tooMany' : 'wrongWebhook');
    sendUncached(reply, signedUpPage(page.settings, answer.secret, reader));
    return true;
  };

  /** Ids of the items with these keys; none where every item is wanted, so that later ones are, too. Null: a key is unknown. */
  private async itemsOfKeys(page: Parameters<PageReading['itemOf']>[0], keys: readonly string[]): Promise<readonly string[] | null> {
    const found = await Promise.all([...new Set(keys)].map((key) => this.reading.itemOf(page, key)));
    const ids = found.flatMap((item) => (item === null ? [] : [item.id]));
    if (ids.length < found.length) return null;
    return ids.length === itemsOf(page.settings).length ? [] : ids;
  }

  private readonly showConfirm: StatusWork = async (request, reply) => {
    const asked = await this.signUpOf(request);
    if (asked === null) {
      this.refuseLink(request, reply);
      return;
    }
    const { page, signUp } = asked;
    sendUncached(reply, linkPage('confirm', addressOf(request), page, signUp.language));
  };

  private readonly confirm: StatusWork = async (request, reply) => {
    const asked = await this.signUpOf(request);
    if (asked === null) {
      this.refuseLink(request, reply);
      return;
    }
    const { page, signUp } = asked;
    const isKept = await this.subscribers.confirm(signUp);
    if (!isKept) void reply.status(409);
    sendUncached(reply, linkDonePage(isKept ? 'confirmed' : 'full', page, signUp.language));
  };

  private readonly showLeave: StatusWork = async (request, reply) => {
    if ((await this.links.readUnsubscribe(tokenOf(request))) === null) {
      this.refuseLink(request, reply);
      return;
    }
    sendUncached(reply, linkPage('leave', addressOf(request), noPage, languageIn(request)));
  };

  /** Also by one click of a mail program (RFC 8058): without a cookie, and again without an error. */
  private readonly leave: StatusWork = async (request, reply) => {
    const subscriberId = await this.links.readUnsubscribe(tokenOf(request));
    if (subscriberId === null) {
      this.refuseLink(request, reply);
      return;
    }
    await this.subscribers.remove(subscriberId);
    sendUncached(reply, linkDonePage('left', noPage, languageIn(request)));
  };

  private async signUpOf(request: StatusRequest): Promise<{ readonly signUp: SignUp; readonly page: LinkedPage } | null> {
    const signUp = await this.links.readSignUp(tokenOf(request), Date.now());
    const page = signUp === null ? null : await this.views.now().get(statusPageView, signUp.pageId);
    if (signUp === null || page === null || page.settings.access === 'members') return null;
    const { slug, title, colors } = page.settings;
    return { signUp, page: { title, colors, url: pageUrlOf({ slug, hosts: page.hosts }, ownOrigin(this.config)) } };
  }

  private refuseLink(request: StatusRequest, reply: FastifyReply): void {
    void reply.status(404);
    sendUncached(reply, linkDonePage('linkInvalid', noPage, languageIn(request)));
  }
}

const noPage: LinkedPage = { title: '', colors: noColors, url: null };

const tokenOf = ({ query: { token } }: StatusRequest): string => (typeof token === 'string' ? token : '');
/** As it was asked for: on a host of its own a page has shorter addresses. */
const addressOf = ({ originalUrl }: StatusRequest): string => originalUrl;
const languageIn = ({ query, headers }: StatusRequest): StatusPageLanguage => languageOf(null, query.lang, headers['accept-language']);

/** Null when it is no form of these pages. */
function readForm(body: unknown): TypedSubscription | null {
  const form = new URLSearchParams(typeof body === 'string' ? body : '');
  const [email, webhook] = [form.get('email')?.trim(), form.get('webhook')?.trim()];
  const keys = form.getAll('item');
  if (email !== undefined && webhook === undefined && email.length <= LONGEST_EMAIL) return { kind: 'email', address: email, keys };
  if (webhook !== undefined && email === undefined && webhook.length <= LONGEST_WEBHOOK) return { kind: 'webhook', address: webhook, keys };
  return null;
}
