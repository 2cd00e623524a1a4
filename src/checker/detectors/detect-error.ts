import type { Page } from '../page/page.ts';
import { collapsed, pageFacts } from '../page/page-facts.ts';
import { MAX_SENTENCE } from '../rules/sentences.ts';
import { shortened } from '../../kernel/shortened.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { detectorTable, type Detector } from './detector-table.ts';
import { contextsOf, type PageContexts } from './quoted-ranges.ts';

const DETECTORS: readonly (readonly [id: string, detector: Detector])[] = Object.entries(detectorTable);
/** Occurrences of a needle that are examined. */
const MAX_TRIES = 20;
const WINDOW = 4096;
/** Error pages of servers are short; articles about them are not. */
const SHORT_TEXT = 700;
const BODYLESS = new Set([204, 205, 304]);

export interface Detected {
  readonly id: string;
  readonly name: string;
  /** The visible text at the signature. */
  readonly excerpt: string;
}

const COUNTS: Readonly<Record<Detector['where'], ReadonlySet<ReturnType<PageContexts['at']>>>> = {
  markup: new Set(['plain', 'prose']),
  text: new Set(['plain']),
  line: new Set(['plain']),
  script: new Set(['script']),
  whole: new Set(),
};

function find(detector: Detector, page: Page, contexts: () => PageContexts): string | null {
  const { needle, confirm, where } = detector;
  const { html } = page;
  if (where === 'whole') {
    if (!page.html.includes(needle.slice(0, 12)) || page.facts.text.length > SHORT_TEXT) return null;
    return (confirm?.test(page.facts.text) ?? page.facts.text.includes(needle)) ? page.facts.text : null;
  }
  let at = html.indexOf(needle);
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries++, at = html.indexOf(needle, at + 1)) {
    const around = html.slice(at, at + WINDOW);
    if (confirm?.test(around) === false) continue;
    if (where === 'line' && !/(?:^|[\n>])[ \t]*$/.test(html.slice(Math.max(0, at - 20), at))) continue;
    if (COUNTS[where].has(contexts().at(at))) return around;
  }
  return null;
}

/** The first error signature found, or null. `mayBeMissing`: signatures of "not found" are ignored. */
export function detect(page: Page, mayBeMissing = false): Detected | null {
  let known: PageContexts | undefined;
  const contexts = (): PageContexts => (known ??= contextsOf(page.html));
  for (const [id, detector] of DETECTORS) {
    if (mayBeMissing && detector.isNotFound === true) continue;
    const found = find(detector, page, contexts);
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

/** Why an answer that satisfies its rules is nevertheless an error (docs/spec/decisions.md#T9), or null. */
export function detectError(answer: StoredAnswer, page: Page, statusIsExpected: boolean): string | null {
  if (isEmpty(answer, page)) return answer.status >= 400 && statusIsExpected ? null : 'expected a page with content, found an empty one';
  const detected = detect(page, answer.status === 404 && statusIsExpected);
  return detected === null ? null : shortened(`expected no error on the page, found ${detected.name}: "${detected.excerpt}"`, MAX_SENTENCE);
}
