import type { Page } from '../page/page.ts';
import { collapsed, pageFacts } from '../page/page-facts.ts';
import { LONGEST_SENTENCE, shortened } from '../rules/sentences.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { detectorTable, type Detector } from './detector-table.ts';
import { placesOf, type Places } from './quoted-ranges.ts';

const DETECTORS: readonly (readonly [id: string, detector: Detector])[] = Object.entries(detectorTable);
/** A page with more of one needle than this is no error page, or an attack. */
const MOST_TRIES = 20;
const WINDOW = 4096;
/** A server's own error page is short; a page about it is not. */
const SHORT_TEXT = 700;
const BODYLESS = new Set([204, 205, 304]);

export interface Detected {
  readonly id: string;
  readonly name: string;
  /** What stands there, as a reader sees it. */
  readonly excerpt: string;
}

const COUNTS: Readonly<Record<Detector['where'], ReadonlySet<ReturnType<Places['at']>>>> = {
  markup: new Set(['plain', 'prose']),
  text: new Set(['plain']),
  line: new Set(['plain']),
  script: new Set(['script']),
  whole: new Set(),
};

function find(detector: Detector, page: Page, places: () => Places): string | null {
  const { needle, confirm, where } = detector;
  const { html } = page;
  if (where === 'whole') {
    if (!page.html.includes(needle.slice(0, 12)) || page.facts.text.length > SHORT_TEXT) return null;
    return (confirm?.test(page.facts.text) ?? page.facts.text.includes(needle)) ? page.facts.text : null;
  }
  let at = html.indexOf(needle);
  for (let tries = 0; at >= 0 && tries < MOST_TRIES; tries++, at = html.indexOf(needle, at + 1)) {
    const around = html.slice(at, at + WINDOW);
    if (confirm?.test(around) === false) continue;
    if (where === 'line' && !/(?:^|[\n>])[ \t]*$/.test(html.slice(Math.max(0, at - 20), at))) continue;
    if (COUNTS[where].has(places().at(at))) return around;
  }
  return null;
}

/** The first known error page that an answer is, or null. `mayBeMissing`: that there is no such page is no error. */
export function detect(page: Page, mayBeMissing = false): Detected | null {
  let known: Places | undefined;
  const places = (): Places => (known ??= placesOf(page.html));
  for (const [id, detector] of DETECTORS) {
    if (mayBeMissing && detector.isNotFound === true) continue;
    const found = find(detector, page, places);
    if (found !== null) return { id, name: detector.name, excerpt: shortened(excerptOf(found), 120) };
  }
  return null;
}

function excerptOf(found: string): string {
  const { text, titles } = pageFacts(found.slice(0, 600));
  return text === '' ? collapsed(titles[0] ?? found) : text;
}

const isEmpty = (answer: StoredAnswer, page: Page): boolean =>
  !BODYLESS.has(answer.status) && !(answer.status >= 300 && answer.status < 400) && page.html.trim() === '';

/** Why an answer that satisfies its rules is an error all the same (docs/spec/decisions.md#T9), or null. */
export function detectError(answer: StoredAnswer, page: Page, statusIsExpected: boolean): string | null {
  if (isEmpty(answer, page)) return answer.status >= 400 && statusIsExpected ? null : 'expected a page with content, found an empty one';
  const detected = detect(page, answer.status === 404 && statusIsExpected);
  return detected === null
    ? null
    : shortened(`expected no error on the page, found ${detected.name}: "${detected.excerpt}"`, LONGEST_SENTENCE);
}
