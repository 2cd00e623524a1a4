import { type StatusColors, PAPER, noColors, type StatusPageLanguage } from '../status-page.settings.ts';
import { createHash } from 'node:crypto';
import { type Markup, Markup as Raw, markup, type MarkupPart } from '../../kernel/markup.ts';
import { momentOf, wordsOf } from '../words/words.ts';
import { asInstant, type PageReader } from './page-address.ts';

/** The style of every form of the page; without images and fonts of its own. */
const styleOf = ({ light, dark }: StatusColors): string => `
:root { color-scheme: light dark; --paper: ${PAPER.light}; --sheet: #fff; --ink: #1c1b18; --soft: #5e5a52; --line: #e4e0d7;
  --strip: #7fb593; --ok: #2c7a4b; --bad: #b3261e; --warn: #8a5a00; --past: #fbf3e2; --plan: #2b5fa8; --hatch: #8a857a;
  --accent: ${light ?? '#1f4e5f'}; }
@media (prefers-color-scheme: dark) {
  :root { --paper: ${PAPER.dark}; --sheet: #1b1b18; --ink: #ece9e1; --soft: #aaa59a; --line: #33312c; --strip: #3f7d59; --ok: #6fc08f;
    --bad: #ff8a80; --warn: #e0b050; --past: #2a2315; --plan: #86b3f0; --hatch: #7f7a70; --accent: ${dark ?? '#8cc3d6'}; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 48px 24px 64px; max-width: 768px; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
body.wide { max-width: 1048px; }
a { color: var(--accent); } a:focus-visible, button:focus-visible, input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 16px; margin-bottom: 24px; }
header p { margin: 0; color: var(--soft); } header b { font-size: 16px; color: var(--ink); margin-right: 4px; }
h1 { margin: 0 0 4px; font-size: 26px; line-height: 1.25; font-weight: 600; } h1.failing { color: var(--bad); }
h2 { margin: 32px 0 8px; font-size: 14px; font-weight: 600; } .name { margin: 0; font-size: 14px; font-weight: 600; }
p { margin: 0 0 8px; max-width: 68ch; } .soft { color: var(--soft); } .pre { white-space: pre-line; }
.banner { margin: 0 0 16px; padding: 8px 12px; border-radius: 6px; background: var(--past); color: var(--warn); max-width: none; }
.incident { margin: 16px 0; padding-left: 14px; border-left: 3px solid var(--line); } .incident.open { border-color: var(--bad); }
.incident p { margin: 0; } .said { max-width: 68ch; } details { display: inline; } summary { display: inline; color: var(--accent); cursor: pointer; text-decoration: underline; }
details p { padding-left: 12px; color: var(--soft); }
ul.items { list-style: none; margin: 0; padding: 0; } ul.items > li { padding: 12px 0; border-top: 1px solid var(--line); }
.line { display: flex; gap: 8px; align-items: baseline; margin-bottom: 8px; } .line .up { margin-left: auto; white-space: nowrap; color: var(--soft); }
.line svg { flex: none; width: 12px; height: 12px; align-self: center; } .line .name a { color: inherit; text-decoration: none; }
.line .name a:hover { text-decoration: underline; }
.working svg { color: var(--ok); } .failing svg, .failing .state { color: var(--bad); } .maintenance svg, .maintenance .state { color: var(--plan); }
.unknown svg, .state { color: var(--soft); }
.strip { overflow: hidden; } .strip svg { display: block; width: 100%; height: 24px; }
.k { fill: var(--strip); } .f { fill: var(--bad); } .p { fill: var(--plan); } .h { stroke: var(--hatch); stroke-width: 1.5; } .paper { fill: var(--paper); }
.scale { display: flex; justify-content: space-between; gap: 8px; margin: 4px 0 0; font-size: 12px; color: var(--soft); max-width: none; }
.d30 { display: none; }
.times svg { display: block; width: 100%; height: 34px; } .axis { stroke: var(--line); stroke-width: 1; } .note { fill: var(--soft); }
.day { fill: transparent; } .day:hover { fill: var(--line); } .cursor { fill: var(--ok); } .cursor.then { fill: var(--warn); } .after { opacity: 0.35; }
.steps { list-style: none; margin: 8px 0; padding: 0; } a.quiet { color: inherit; text-decoration-style: dotted; } .dates span { white-space: nowrap; }
form { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
form > input { flex: 0 1 280px; min-width: 0; } form.stack { display: block; } form.stack > * { margin: 0 0 8px; } form.stack label { display: block; }
form.stack input:not([type=checkbox]) { display: block; width: 100%; max-width: 420px; }
fieldset { border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; max-width: 420px; }
input, button, a.button { font: inherit; color: var(--ink); background: var(--sheet); border: 1px solid var(--soft); border-radius: 6px; padding: 6px 10px; }
a.button { text-decoration: none; white-space: nowrap; } a.button:hover { border-color: var(--accent); }
table { width: 100%; border-collapse: collapse; } th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; }
th, td { overflow-wrap: normal; } td:first-child { white-space: nowrap; } td:last-child { padding-right: 0; }
th { color: var(--soft); font-size: 12px; } code { font: 12px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
footer { margin-top: 32px; font-size: 12px; color: var(--soft); }
@media (max-width: 480px) {
  body { padding: 24px 16px 48px; } .strip svg { width: 300%; margin-left: -200%; } .d90 { display: none; } .d30 { display: inline; }
  .dates span:nth-child(even) { display: none; } .line { flex-wrap: wrap; } .line .name { flex: 1; min-width: 0; } .line .state { order: 1; flex-basis: 100%; } 
  tr { display: grid; grid-template-columns: 1fr auto; gap: 2px 12px; padding: 8px 0; border-bottom: 1px solid var(--line); }
  tr > * { padding: 0; border: 0; } tr > :nth-child(2), tr > :nth-child(4) { grid-column: 1 / -1; } tr > :nth-child(3) { grid-area: 1 / 2; } }
`;

/** A page with the policy that lets a browser run and load nothing but its own style. */
export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

interface Shell {
  readonly language: string;
  readonly title: string;
  readonly colors: StatusColors;
  readonly head?: Markup | null;
  /** True for a page with a table rather than text. */
  readonly isWide?: boolean;
  readonly body: MarkupPart;
}

export function htmlPage({ language, title, colors, head = null, isWide = false, body }: Shell): HtmlPage {
  const style = styleOf(colors);
  const source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const { text } = markup`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}<style>${new Raw(style)}</style></head>
<body${isWide ? new Raw(' class="wide"') : null}>
${body}
</body></html>
`;
  return { html: text, policy: `default-src 'none'; style-src ${source}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'` };
}

/** For every slug that is not public: whether it exists cannot be seen. */
export function lockedPage({ language, links }: PageReader, isRefused: boolean): HtmlPage {
  const words = wordsOf(language);
  const refusal = isRefused ? markup`<p class="banner" role="alert">${words.passwordWrong}</p>` : null;
  const body = markup`<main><h1>${words.passwordTitle}</h1><p>${words.passwordAbout}</p>${refusal}<form method="post" action="${links.to('password')}"><label for="password">${words.passwordField}</label><input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required><button>${words.open}</button></form><p>${words.membersAbout} <a href="${links.signIn()}">${words.signIn}</a> · <a href="${links.home()}">${words.openAgain}</a></p></main>`;
  return htmlPage({ language, title: words.passwordTitle, colors: noColors, body });
}

/** The record cannot be read, and nothing of the page is in memory. */
export function unavailablePage(language: StatusPageLanguage): HtmlPage {
  const words = wordsOf(language);
  const body = markup`<main><h1>${words.unavailableTitle}</h1><p>${words.unavailableAbout}</p></main>`;
  return htmlPage({ language, title: words.unavailableTitle, colors: noColors, body });
}

/** An instant before the page existed, which begins then, or one that is no instant of the past. */
export function noInstantPage({ language, links }: PageReader, problem: { readonly beginning: number } | 'invalid'): HtmlPage {
  const words = wordsOf(language);
  const [title, about] = problem === 'invalid' ? [words.noSuchInstant, words.instantForm] : [words.notYet, null];
  const first = problem === 'invalid' ? null : problem.beginning;
  const beginning =
    first === null ? null : markup`<a href="${links.home(asInstant(first))}">${words.beginning(momentOf(first, words))}</a> · `;
  const body = markup`<main><h1>${title}</h1><p>${about}</p><p>${beginning}<a href="${links.home()}">${words.backToNow}</a></p></main>`;
  return htmlPage({ language, title, colors: noColors, body });
}
