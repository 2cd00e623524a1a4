import { Injectable } from '@nestjs/common';
import { CachedReads } from '../kernel/cached.ts';
import { SLUG, type StatusPageLanguage, statusPageLanguages } from './status-page.settings.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { Ledger } from '../proof/seal/ledger.ts';
import { Log } from '../platform/log/log.ts';
import { readLogInstant } from '../platform/log/log-instant.ts';
import { statusPageView } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { atomFeed, jsonFeed } from './page/feeds.ts';
import { firstSentenceOf, openIncidentsOf, renderStatusPage } from './page/render-page.ts';
import type { PageReader } from './page/page-address.ts';
import { recordPage } from './page/record-page.ts';
import { noInstantPage } from './page/shell.ts';
import { itemsOfPage, type StatusPageModel } from './model.ts';
import { chooseLanguage, wordsOf } from './words/words.ts';
import { labelledBadge } from '../platform/http/presentation/labelled-badge.ts';
import { PageReading } from './page-reading.ts';
import { ProvenRecords } from './proven-records.ts';
import { RecordReading } from './record-reading.ts';
import { bodyOf, compressed, htmlBody, type RenderedBody, type ServedBody } from './served-body.ts';
import { ServedPages } from './served-pages.ts';
import type { ServedPage } from './page-cache.ts';
import { utcMidnight } from '../watches/uptime/shown-state.ts';

/** What a page can be asked for besides itself. */
export const statusForms = ['feed.atom', 'feed.json', 'badge.svg'] as const;
export type StatusForm = (typeof statusForms)[number];

export interface PageAnswer {
  readonly status: number;
  readonly body: ServedBody;
}

/** An instant in UTC without a zone, as the field of a form sends it. */
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;
/** A day, as a person types it, which stands for its end. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const NO_POLICY = "default-src 'none'; frame-ancestors 'none'";
const MOST_PAST = 200;
/** Folding several projects at once is expensive; further requests queue. */
const CONCURRENT_PAST = 1;
const MOST_WAITING_PAST = 20;

/** What outsiders see of status pages. Whether they may see it is decided before. */
@Injectable()
export class PublicPages {
  private readonly past = new CachedReads<PageAnswer>(MOST_PAST);
  private readonly limit = new ConcurrencyLimit(CONCURRENT_PAST, { maxQueue: MOST_WAITING_PAST });

  constructor(
    private readonly served: ServedPages,
    private readonly reading: PageReading,
    private readonly records: RecordReading,
    private readonly proven: ProvenRecords,
    private readonly views: ViewsAt,
    private readonly log: Log,
    private readonly ledger: Ledger,
  ) {}

  /** Undefined when it has to be waited for. */
  current(slug: string): ServedPage | undefined {
    return this.served.cache.current(slug);
  }

  async page(slug: string): Promise<ServedPage | null> {
    return SLUG.test(slug) ? this.served.cache.get(slug) : null;
  }

  now(served: ServedPage, reader: PageReader): Promise<ServedBody> {
    const { model, staleSince } = served;
    return bodyOf(served, keyOf(reader), () => htmlBody(renderStatusPage(model, reader.language, { staleSince, links: reader.links })));
  }

  /** `url`: of the page. */
  form(served: ServedPage, form: StatusForm, url: string): Promise<ServedBody> {
    return bodyOf(served, `${form} ${url}`, () => this.rendered(served, form, url));
  }

  private rendered({ model }: ServedPage, form: StatusForm, url: string): RenderedBody {
    switch (form) {
      case 'feed.atom':
        return { type: 'application/atom+xml; charset=utf-8', text: atomFeed(model, url), policy: NO_POLICY };
      case 'feed.json':
        return { type: 'application/feed+json; charset=utf-8', text: jsonFeed(model, url), policy: NO_POLICY };
      case 'badge.svg': {
        const items = itemsOfPage(model);
        const words = wordsOf(model.languages[0] ?? 'en');
        const states = items.map(({ state }) => state);
        const isUnclear = states.every((state) => state === 'unknown') || openIncidentsOf(model).length > 0;
        const tone = states.includes('failing') ? 'bad' : isUnclear ? 'unknown' : 'good';
        return {
          type: 'image/svg+xml; charset=utf-8',
          text: labelledBadge({ label: model.title, value: firstSentenceOf(model, words), tone }),
          policy: NO_POLICY,
        };
      }
    }
  }

  /** The page as it was, of what its readers may see today. */
  async asOf(served: ServedPage, given: string, reader: PageReader): Promise<PageAnswer> {
    const { page } = served;
    try {
      const instant = await readLogInstant(this.log, instantText(given), 'asOf');
      const beginning = Date.parse(page.openedAt);
      if (instant.n < page.openedN) return await answer(404, noInstantPage(reader, { beginning }));
      const publishable = await this.reading.publishable(page, this.views.now());
      const key = [page.pageId, page.changedN, ...publishable, keyOf(reader), instant.n, instant.at, timeKeyOf(served.model)].join(' ');
      return await this.past.get(key, () => this.limit.run(() => this.readPast(served, publishable, instant, reader)));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return answer(400, noInstantPage(reader, 'invalid'));
    }
  }

  private async readPast(
    { page, model: present }: ServedPage,
    publishable: ReadonlySet<string>,
    { n, at }: { readonly n: number; readonly at: number },
    reader: PageReader,
  ): Promise<PageAnswer> {
    const views = this.views.asOf(n);
    const then = await views.get(statusPageView, page.pageId);
    if (then === null) return answer(404, noInstantPage(reader, { beginning: Date.parse(page.openedAt) }));
    const model = await this.reading.read(then, { views, at, present: this.views.now() }, { page, publishable });
    return answer(200, renderStatusPage(model, reader.language, { present, links: reader.links }));
  }

  /** Null when the page has no such item. */
  async record({ page }: ServedPage, key: string, reader: PageReader): Promise<PageAnswer | null> {
    const { title, colors } = page.settings;
    if (key === 'incidents')
      return answer(200, recordPage({ title, colors, item: null, events: await this.records.ofIncidents(page) }, reader));
    const item = await this.reading.itemOf(page, key);
    if (item === null) return null;
    return answer(200, recordPage({ title, colors, item: item.name, events: await this.records.ofItem(page, item) }, reader));
  }

  /** An inclusion proof of an event behind the page, by its hash and, of a published incident, with its words; null: there is no such event. */
  async proof({ page }: ServedPage, n: number): Promise<object | null> {
    const event = await this.records.at(page, n);
    if (event === null) return null;
    const { checkpoint, paths } = await this.ledger.prove([n]);
    const size = Number(checkpoint.split('\n')[1]);
    return { index: n, size, leafHash: event.hash, ...(event.leaf !== null && { leaf: event.leaf }), path: paths[0] ?? [], checkpoint };
  }

  /** Everything that the page says, with the events behind it and their proofs. */
  provenRecord(served: ServedPage): Promise<ServedBody> {
    return bodyOf(served, 'record.json', async () => ({
      type: 'application/json; charset=utf-8',
      text: JSON.stringify(await this.proven.of(served)),
      policy: NO_POLICY,
    }));
  }

  /** The proof that the log of `to` events extends the log of `from`; null when fewer are sealed. */
  consistency(from: number, to: number): Promise<object | null> {
    return from > to ? Promise.resolve(null) : this.ledger.consistency(from, to);
  }
}

/** The key of a rendered page, which differs with its language and with the addresses in its links. */
const keyOf = ({ language, links: { base, chosen } }: PageReader): string => [language, base, chosen ?? ''].join(' ');

/** Changes with the line of time, which a page of the past has of the present. */
const timeKeyOf = (model: StatusPageModel): string => {
  const failures = itemsOfPage(model).map((item) => item.failures.length);
  return [utcMidnight(model.at), model.incidents.length, ...failures].join(',');
};

/** A day of the past stands for its end, today for this moment. */
function instantText(given: string): string {
  if (LOCAL.test(given)) return `${given}Z`;
  if (!DAY.test(given)) return given;
  const [now, end] = [new Date().toISOString(), `${given}T23:59:59.999Z`];
  return now.startsWith(given) ? now : end;
}

const answer = async (status: number, page: Parameters<typeof htmlBody>[0]): Promise<PageAnswer> => ({
  status,
  body: await compressed(htmlBody(page)),
});

/** Chooses among the languages of the page, or of the service when there is none. */
export const languageOf = (served: ServedPage | null, asked: unknown, accept: string | undefined): StatusPageLanguage =>
  chooseLanguage(served?.model.languages ?? statusPageLanguages, asked, accept);
