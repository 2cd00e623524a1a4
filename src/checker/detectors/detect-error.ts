import type { Page } from '../page/page.ts';
import { collapsed, pageFacts } from '../page/page-facts.ts';
import { MAX_SENTENCE } from '../rules/sentences.ts';
import { shortened } from '../../kernel/text.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import { type Detector, detectorTable } from './detector-table.ts';
import { errorMessage, type Detected, ExaminedPage } from './error-message.ts';
import type { PageContexts } from './page-contexts.ts';

/** The text of a page that says only what went wrong. */
const SHORT = 700;
const LINKS = 4;

const CODE = String.raw`(?:HTTP[ /-]?(?:\d(?:\.\d)? ?)?)?(?:(?:Error|Status|Code|Fehler|Erreur|Errore|Fout|HTTP)[ :-]{0,3}){0,2}5\d\d`;
const PHRASES = String.raw`internal server error|server error|bad gateway|gateway time-?out|service (?:temporarily )?unavailable|backend fetch failed|proxy error|application error|not implemented|http version not supported|insufficient storage|loop detected|web server is down|connection timed out|origin is unreachable|upstream request timeout|no healthy upstream|interner serverfehler|dienst nicht (?:verfügbar|erreichbar)|erreur interne(?: du serveur)?|service (?:non disponible|indisponible)|mauvaise passerelle|error interno(?: del servidor)?|servicio no disponible|errore interno(?: del server)?|servizio non disponibile|interne serverfout|erro interno(?: do servidor)?|serviço indisponível|внутренняя ошибка сервера|сервис недоступен|サーバー内部エラー|内部服务器错误|服务不可用`;
const STATUS = new RegExp(
  String.raw`^(?:error[ :!-]{0,3})?(?:${CODE})[ :.,|!\u2013\u2014-]{0,4}(?:error[ :]{0,2})?(?:(?:${PHRASES})|error|fehler|erreur)?[.!]?(?: [-|\u2013\u2014] .{1,60})?$`,
  'i',
);
const PHRASE = new RegExp(
  String.raw`^(?:error[ :!-]{0,3})?(?:${PHRASES})[.!]?(?:[ (:-]{0,3}5\d\d\)?)?(?: [-|\u2013\u2014] .{1,60})?$`,
  'i',
);
const HEADING = /<(h[1-3])\b[^>]{0,300}>([^<]{2,120})<\/\1/gi;

const isStatus = (text: string): boolean => PHRASE.test(text) || (STATUS.test(text) && /[^\d\s.:!-]/.test(text));

/** A short page whose title, first headings or whole text is nothing but the status of an error, or null. */
function statusPage({ html, facts, isMarkup }: Page, links: () => number): string | null {
  const { text, titles } = facts;
  if (text.length > SHORT) return null;
  const headings = isMarkup
    ? Array.from(html.slice(0, 20_000).matchAll(HEADING), ([, , inner]) => inner ?? '').slice(0, 2)
    : html.split('\n', 1);
  const candidates = [titles[0] ?? '', text, ...headings, ...text.split(/(?<=[.!]) /).slice(0, 1)];
  const found = candidates.map((each) => each.replace(/\s+/g, ' ').trim()).find(isStatus);
  return found === undefined || links() > LINKS ? null : text === '' ? found : text;
}

const rows: readonly (readonly [id: string, detector: Detector])[] = Object.entries(detectorTable);
/** `hint`: the needle without its tag; `<` and `class` are all over a page, and a search for what is rare is several times faster. */
const DETECTORS = rows.map(([id, detector]) => ({ id, detector, hint: detector.needle.replace(/^(?:<\w+>|\w+=["']?)(?=.)/, '') }));
/** Occurrences of a needle that are examined. */
const MAX_TRIES = 20;
const WINDOW = 4096;
/** Error pages of servers are short; articles about them are not. */
const SHORT_TEXT = 700;
const BODYLESS = new Set([204, 205, 304]);

const COUNTS: Readonly<Record<Detector['where'], ReadonlySet<ReturnType<PageContexts['at']>>>> = {
  markup: new Set(['plain', 'prose']),
  attribute: new Set(['value']),
  script: new Set(['script']),
  whole: new Set(),
};

function find({ needle, confirm, where }: Detector, examined: ExaminedPage): string | null {
  const { page } = examined;
  const { html } = page;
  if (where === 'whole') {
    if (page.facts.text.length > SHORT_TEXT) return null;
    return (confirm?.test(page.facts.text) ?? page.facts.text.includes(needle)) ? page.facts.text : null;
  }
  let at = html.indexOf(needle);
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries++, at = html.indexOf(needle, at + 1)) {
    const around = html.slice(at, at + WINDOW);
    if (confirm?.test(around) === false) continue;
    if (COUNTS[where].has(examined.contexts.at(at))) return around;
  }
  return null;
}

/** The first sign of an error found, or null. `mayBeMissing`: signatures of "not found" are ignored. */
export function detect(page: Page, mayBeMissing = false): Detected | null {
  const examined = new ExaminedPage(page);
  for (const { id, detector, hint } of DETECTORS) {
    if (!page.html.includes(hint)) continue;
    if (mayBeMissing && detector.isNotFound === true) continue;
    const found = find(detector, examined);
    if (found !== null) return { id, name: detector.name, excerpt: shortened(excerptOf(found), 120) };
  }
  const message = errorMessage(examined);
  if (message !== null) return { ...message, excerpt: shortened(message.excerpt, 120) };
  const status = statusPage(page, () => examined.outline.links);
  return status === null ? null : { id: 'status', name: 'the page of a failed request', excerpt: shortened(status, 120) };
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
