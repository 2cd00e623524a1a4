import type { Page } from '../page/page.ts';

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
export function statusPage({ html, facts, isMarkup }: Page, links: () => number): string | null {
  const { text, titles } = facts;
  if (text.length > SHORT) return null;
  const headings = isMarkup
    ? Array.from(html.slice(0, 20_000).matchAll(HEADING), ([, , inner]) => inner ?? '').slice(0, 2)
    : html.split('\n', 1);
  const candidates = [titles[0] ?? '', text, ...headings, ...text.split(/(?<=[.!]) /).slice(0, 1)];
  const found = candidates.map((each) => each.replace(/\s+/g, ' ').trim()).find(isStatus);
  return found === undefined || links() > LINKS ? null : text === '' ? found : text;
}
