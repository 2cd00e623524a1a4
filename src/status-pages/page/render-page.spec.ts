import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { JSDOM } from 'jsdom';
import { AT, examplePage, itemOf } from '../../../test/support/status-page-model.ts';
import { contrastOf } from '../status-page.settings.ts';
import type { ItemStatus, StatusPageModel } from '../model.ts';
import { chooseLanguage, percentIn, wordsOf } from '../words/words.ts';
import { atomFeed, jsonFeed } from './feeds.ts';
import { renderStatusPage, firstSentenceOf } from './render-page.ts';
import { PageLinks } from './page-address.ts';
import { lockedPage } from './shell.ts';

const CANARY = `"><script>globalThis.ran = true</script><img src=x onerror=ran()>&'`;
const en = wordsOf('en');
const documentOf = (html: string) => new JSDOM(html, { runScripts: 'dangerously' }).window;
const textOf = (html: string): string => documentOf(html).document.body.textContent.replace(/\s+/g, ' ');

describe('the first line of a status page', () => {
  it('answers whether everything works', () => {
    const sentenceOf = (items: readonly ItemStatus[], incidents: StatusPageModel['incidents'] = []) =>
      firstSentenceOf({ groups: [{ name: '', items }], incidents }, en);
    const [working, failing, unknown] = [
      itemOf('Shop'),
      { ...itemOf('Checkout'), state: 'failing' } as const,
      { ...itemOf('API'), state: 'unknown' } as const,
    ];
    expect(sentenceOf([working])).toBe('Everything works.');
    expect(sentenceOf([working, failing])).toBe('Checkout is failing. Everything else works.');
    expect(sentenceOf([working, failing, { ...failing, name: 'Cart' }])).toBe('Checkout and Cart are failing. Everything else works.');
    expect(sentenceOf([failing])).toBe('Checkout is failing.');
    expect(sentenceOf([failing, failing])).toBe('Everything is failing.');
    expect(sentenceOf([unknown, working])).toBe('Not measured at the moment: API. Everything else works.');
    expect(sentenceOf([unknown])).toBe('Nothing is measured at the moment.');
    expect(sentenceOf([failing, unknown])).toBe('Checkout is failing. Not measured at the moment: API.');
  });

  it('says that an incident is open where the measurements show nothing of it', () => {
    const [open] = examplePage().incidents;
    const sentenceOf = (items: readonly ItemStatus[], state: 'monitoring' | 'resolved') =>
      firstSentenceOf({ groups: [{ name: '', items }], incidents: open === undefined ? [] : [{ ...open, state }] }, en);
    expect(sentenceOf([itemOf('Shop')], 'monitoring')).toBe('An incident is open. All measurements pass.');
    expect(sentenceOf([itemOf('Shop')], 'resolved')).toBe('Everything works.');
    expect(sentenceOf([itemOf('Shop'), { ...itemOf('API'), state: 'unknown' }], 'monitoring')).toBe(
      'An incident is open. Not measured at the moment: API.',
    );
    expect(sentenceOf([{ ...itemOf('API'), state: 'failing' }], 'monitoring')).toBe('API is failing.');
  });

  it('is there in every language', () => {
    expect(firstSentenceOf(examplePage(), wordsOf('de'))).toBe(
      'Checkout ist gestört. Geplante Arbeiten an Warehouse. Alles andere funktioniert.',
    );
    expect(firstSentenceOf(examplePage(), wordsOf('cs'))).toBe('Nefunguje: Checkout. Plánovaná údržba: Warehouse. Vše ostatní funguje.');
  });
});

describe('a status page', () => {
  it('says what fails, since when, when the record said so, and what an edited update said before', () => {
    const text = textOf(renderStatusPage(examplePage(), 'en').html);
    expect(text).toContain(
      'As of 14:21:07 UTC. First failing measurement 13:58:04; on record, and so on this page, since 13:58:20, 16 s later.',
    );
    expect(text).toContain('Failing since 13:58 (23 min), on record 16 s later');
    expect(text).toContain('First said here 14:01:07, 3 min after the first failing measurement (13:58:04).');
    expect(text).toContain('We are looking into it. Edited 14:03.');
    expect(text).toContain('We are looking into it, no orders were lost.');
    expect(text).toContain('Planned work until');
  });

  it('runs nothing and loads nothing: its policy allows its own style alone', () => {
    const { html, policy } = renderStatusPage(examplePage(), 'en');
    const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? '';
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(html).not.toMatch(/<script|\son\w+=|style=|<img|https?:\/\//);
  });

  it('takes titles, names and words of people as text', () => {
    const hostile = examplePage({
      ...{ title: CANARY, words: { about: CANARY, footer: CANARY } },
      groups: [{ name: CANARY, items: [itemOf(CANARY)] }],
      incidents: [
        {
          id: 'i',
          title: CANARY,
          state: 'resolved',
          publishedAt: AT,
          firstFailing: AT - 60_000,
          items: [CANARY],
          updates: [{ state: 'resolved', wordings: [{ text: CANARY, at: AT, n: 1 }] }],
        },
      ],
      planned: [{ from: AT + 1, to: AT + 2, items: [CANARY] }],
    });
    const { html } = renderStatusPage(hostile, 'en');
    const window = documentOf(html);
    const { document } = window;
    expect([document.querySelectorAll('script, img').length, 'ran' in window]).toEqual([0, false]);
    expect(document.body.textContent).toContain(CANARY);
    const feed = new JSDOM(atomFeed(hostile, 'https://watch.example'), { contentType: 'application/xml' }).window.document;
    expect(feed.querySelector('entry title')?.textContent).toBe(`${CANARY} · Resolved`);
    expect((JSON.parse(jsonFeed(hostile, 'https://watch.example')) as { title: string }).title).toBe(CANARY);
    expect(lockedPage({ language: 'en', links: new PageLinks(CANARY) }, true).html).not.toContain('<script>');
  });

  it('stays below 30 KB with 50 items, half of whose days have something to show', () => {
    const busy = itemOf('Item', {
      known: Array.from({ length: 90 }, (_, day) => ({
        from: AT - day * 86_400_000 - 3_600_000,
        to: AT - day * 86_400_000,
        state: day % 2 === 0 ? ('down' as const) : ('up' as const),
      })).toReversed(),
    });
    const items = Array.from({ length: 50 }, (_, nth) => ({ ...busy, key: `k${String(nth)}`, name: `Item ${String(nth)}` }));
    const { html } = renderStatusPage(examplePage({ groups: [{ name: 'All', items }] }), 'en');
    expect(gzipSync(html).length).toBeLessThan(30 * 1024);
  });

  it('names the day of planned work once where it ends on the same, and the last day of a page of the past', () => {
    const from = Date.parse('2026-12-01T02:00:00Z');
    const planned = (to: string) => ({ planned: [{ from, to: Date.parse(to), items: ['Shop'] }] });
    const [short, long] = [planned('2026-12-01T03:00:00Z'), planned('2026-12-02T03:00:00Z')];
    expect(textOf(renderStatusPage(examplePage(short), 'en').html)).toContain('1 December 2026 at 02:00 – 03:00 · Shop');
    expect(textOf(renderStatusPage(examplePage(long), 'en').html)).toContain('1 December 2026 at 02:00 – 2 December 2026 at 03:00 · Shop');
    const scaleOf = (isPast: boolean): unknown =>
      documentOf(renderStatusPage(examplePage({ isPast }), 'en').html).document.querySelector('.scale > span:last-child')?.textContent;
    expect([scaleOf(false), scaleOf(true)]).toEqual(['today', '21 November']);
  });

  it('draws what was not measured apart from what is well, and says it in words', () => {
    const { document } = documentOf(renderStatusPage(examplePage(), 'en').html);
    const [, , , api] = document.querySelectorAll('.strip svg');
    expect(api?.getAttribute('aria-label')).toBe('API, 90 days: 99.98 %; 1 day with failures, 2 days not fully measured');
    expect(api?.querySelectorAll('[fill="url(#h)"]')).toHaveLength(2);
    expect([...(api?.querySelectorAll('a') ?? [])].map((link) => link.getAttribute('href'))).toContain(
      '/status/example/record/api#2026-10-13',
    );
  });

  it('has a line of time whose days and marks lead to the page as it was, and continues to now from the past', () => {
    const present = examplePage();
    const past = examplePage({ at: AT - 2 * 86_400_000, isPast: true });
    const hrefs = (html: string, selector: string) =>
      [...documentOf(html).document.querySelectorAll(selector)].map((link) => link.getAttribute('href'));
    const now = renderStatusPage(present, 'en').html;
    const days = hrefs(now, '.times a[tabindex="-1"]');
    expect([days.length, days.at(-1)]).toEqual([89, '/status/example?asOf=2026-11-20T23:59:59Z']);
    expect(hrefs(now, '.steps a')).toEqual(['/status/example?asOf=2026-11-21T14:01:07Z']);
    const { html } = renderStatusPage(past, 'en', { present });
    expect(hrefs(html, '.times a.after')).toEqual([
      '/status/example?asOf=2026-11-21T13:59:04Z',
      '/status/example?asOf=2026-11-21T14:01:07Z',
    ]);
    expect(hrefs(html, '.steps a[rel="next"]')).toEqual(['/status/example?asOf=2026-11-21T13:59:04Z']);
    expect(documentOf(html).document.querySelector('.steps a[rel="next"]')?.textContent).toBe(
      'Later: 21 November 2026 at 13:58 · Checkout is failing.',
    );
    expect(hrefs(html, '.steps a:not([rel])')).toEqual(['/status/example']);
  });

  it('is stepped through to the first mark and back, each mark once, also where marks lie within a second', () => {
    const [incident] = examplePage().incidents;
    const incidents = [120_400, 90_250, 90_750, 60_000].map((before) => ({ ...incident!, publishedAt: AT - before - 3_600_000 }));
    const present = examplePage({ groups: [], incidents });
    const stepFrom = (href: string | null, rel: 'prev' | 'next'): string | null => {
      const instant = href === null ? null : /asOf=(.*)$/.exec(href)?.[1];
      const shown = instant == null ? present : { ...present, at: Date.parse(instant), isPast: true };
      const { document } = documentOf(renderStatusPage(shown, 'en', { present }).html);
      return document.querySelector(`.steps a[rel="${rel}"]`)?.getAttribute('href') ?? null;
    };
    const walk = (from: string | null, rel: 'prev' | 'next'): readonly string[] => {
      const seen: string[] = [];
      for (let at = stepFrom(from, rel); at !== null && seen.length < 9; at = stepFrom(at, rel)) seen.push(at.slice(-9));
      return seen;
    };
    expect(walk(null, 'prev')).toEqual(['13:20:07Z', '13:19:37Z', '13:19:07Z']);
    expect(walk('/status/example?asOf=2026-11-21T13:19:07Z', 'next')).toEqual(['13:19:37Z', '13:20:07Z']);
  });

  it('of before the line of time has a line that ends with its day, and marks of its own', () => {
    const day = 86_400_000;
    const present = examplePage({ at: AT + 200 * day, groups: [], incidents: [] });
    const { document } = documentOf(renderStatusPage(examplePage({ isPast: true }), 'en', { present }).html);
    expect(document.querySelector('.dates span:last-child')?.textContent).toBe('21 November');
    expect(document.querySelectorAll('.times .f').length).toBeGreaterThan(0);
    expect(document.querySelector('.cursor.then')).not.toBeNull();
  });

  it('offers no subscription where it is for members', () => {
    const hasButton = (access: StatusPageModel['access']) => renderStatusPage(examplePage({ access }), 'en').html.includes('/subscribe"');
    expect([hasButton('public'), hasButton('members')]).toEqual([true, false]);
  });

  it('stands at the root of a host of its own', () => {
    const { html } = renderStatusPage(examplePage(), 'en', { links: new PageLinks('') });
    expect(html).not.toContain('/status/');
    expect(documentOf(html).document.querySelector('form')?.getAttribute('action')).toBe('/');
  });

  it('keeps the language that the reader chose, and the instant where another one is chosen', () => {
    const { html } = renderStatusPage(examplePage({ isPast: true }), 'de', { links: new PageLinks('/status/example', 'de') });
    const { document } = documentOf(html);
    const pages = [...document.querySelectorAll('a')]
      .map((link) => link.getAttribute('href') ?? '')
      .filter((href) => !/feed|badge|record.json/.test(href));
    expect(pages.filter((href) => !href.includes('lang='))).toEqual([]);
    expect(pages).toContain('/status/example/record/api?lang=de#2026-10-13');
    expect(document.querySelector('a[hreflang=cs]')?.getAttribute('href')).toBe('/status/example?asOf=2026-11-21T14:21:07Z&lang=cs');
    expect(document.querySelector('input[name=lang]')?.getAttribute('value')).toBe('de');
  });

  it('says that it is of the past, or out of date', () => {
    expect(textOf(renderStatusPage(examplePage({ isPast: true }), 'en').html)).toContain(
      'This page as it was on 21 November 2026 at 14:21 UTC. Back to now',
    );
    expect(textOf(renderStatusPage(examplePage(), 'en', { staleSince: AT }).html)).toContain(
      'The record cannot be read at the moment. This page shows the state of 21 November 2026 at 14:21 UTC.',
    );
  });
});

it('chooses the language by the request, by Accept-Language, then by the page', () => {
  expect(chooseLanguage(['en', 'de', 'cs'], 'cs', 'de')).toBe('cs');
  expect(chooseLanguage(['en', 'de', 'cs'], 'fr', 'fr, de-AT;q=0.8, cs;q=0.9')).toBe('cs');
  expect(chooseLanguage(['de', 'cs'], undefined, 'en, *;q=0.1')).toBe('de');
  expect(chooseLanguage(['de'], ['cs'], ';;q=,,')).toBe('de');
});

it('rounds down, so that 100 % stands only where nothing failed', () => {
  expect(percentIn(99.999, en)).toBe('99.99 %');
  expect(percentIn(100, wordsOf('de'))).toBe('100,00 %');
});

it('computes contrast as WCAG does', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});
