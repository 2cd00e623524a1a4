import { formatUtcOffset } from '../../../projects/objectives/objective.settings.ts';
import type { StatementContent } from '../document.ts';
import type { Platform } from '../../../client/verify/platform.ts';
import { causesSection, figuresSection, responseTimesSection } from './figures-section.ts';
import { foreign, Markup, markup } from '../../../kernel/markup.ts';
import { monthPicture } from './month-picture.ts';
import { DATA_END, DATA_START, type StatementPage } from './page-file.ts';
import { correctionsSection, daysSection, incidentsSection, maintenanceSection, methodsSection } from './record-sections.ts';
import { durationOf, monthInWords, percentOf, timeIn } from './units.ts';

/** Without images and fonts of its own; the colours are those of the console. */
const STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf7; --sheet: #fff; --ink: #1c1b18; --soft: #5e5a52; --line: #e4e0d7; --hair: #efece5;
  --strip: #7fb593; --ok: #2c7a4b; --bad: #b3261e; --wash: #fdf1ef; --plan: #2b5fa8; --hatch: #8a857a; --accent: #1f4e5f; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #141412; --sheet: #1b1b18; --ink: #ece9e1; --soft: #aaa59a; --line: #33312c; --hair: #262520;
    --strip: #3f7d59; --ok: #6fc08f; --bad: #ff8a80; --wash: #2a1917; --plan: #86b3f0; --hatch: #7f7a70; --accent: #8cc3d6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 64px; max-width: 808px; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
header { display: flex; justify-content: space-between; padding-bottom: 12px; border-bottom: 1px solid var(--line); color: var(--soft); }
header b { color: var(--ink); }
h1 { margin: 24px 0 4px; font-size: 22px; line-height: 1.25; font-weight: 600; }
h2 { margin: 32px 0 8px; font-size: 14px; font-weight: 600; }
h3 { margin: 16px 0 4px; font-size: 12px; font-weight: 600; color: var(--soft); }
p, ul { margin: 0 0 8px; max-width: 68ch; }
ul { padding-left: 20px; }
.soft, figcaption { color: var(--soft); }
.met { color: var(--ok); } .missed { color: var(--bad); }
.verdict { margin: 16px 0 0; padding: 12px 16px; max-width: none; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); }
.verdict b { font-weight: 600; } .verdict ul { margin: 4px 0 0; color: var(--soft); font-size: 12px; }
.verdict.equal b { color: var(--ok); } .verdict.different { border-color: var(--bad); background: var(--wash); }
.verdict.different b { color: var(--bad); }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 10px; }
.up { fill: var(--strip); } .down, .timeout { fill: var(--bad); } .plan { fill: var(--plan); } .blank { fill: var(--sheet); }
.hatch { stroke: var(--hatch); stroke-width: 1; } .rule { stroke: var(--line); stroke-width: 1; }
.key { display: inline-block; width: 16px; height: 10px; margin-right: 4px; vertical-align: -1px; }
figcaption span { margin-right: 16px; white-space: nowrap; } figcaption { margin-top: 4px; font-size: 12px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--hair); text-align: left; vertical-align: top; font-weight: 400; }
thead th { color: var(--soft); font-size: 12px; border-bottom-color: var(--line); }
th:last-child, td:last-child { padding-right: 0; }
.n { text-align: right; white-space: nowrap; } .main td { font-size: 22px; font-weight: 600; }
.t { white-space: nowrap; } .fine, .fine td { font-size: 12px; }
code, pre { font: 12px/1.45 ui-monospace, monospace; } pre { margin: 0 0 8px; white-space: pre-wrap; }
td code { font-size: 10px; color: var(--soft); }
@media screen and (max-width: 520px) { body { padding: 24px 16px 48px; } table { display: block; overflow-x: auto; } }
@page { size: A4; margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; background: none; font-size: 11px; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h2, h3, thead { break-after: avoid; } tr, figure, .verdict { break-inside: avoid; } thead { display: table-header-group; }
  td code { font-size: 8px; } .fine, .fine td { font-size: 9px; } th, td { padding-top: 3px; padding-bottom: 3px; }
}
`;

/** The HTML file around the data: a pure function of the data and of the verifier that is put into it. */
export function renderPage(statement: StatementContent, verifier: string, { sha256, toBase64 }: Platform): StatementPage {
  const source = (text: string): string => `'sha256-${toBase64(sha256(new TextEncoder().encode(text)))}'`;
  const policy = `default-src 'none'; script-src ${source(verifier)}; style-src ${source(STYLE)}; connect-src 'none'; base-uri 'none'; form-action 'none'`;
  const { project, generatedAt, edition, span } = statement;
  const title = project.title === '' ? project.url : project.title;
  const issued = `${edition === null ? 'Made' : `Edition ${String(edition.number)}, issued`} ${timeIn(generatedAt, span.offsetMinutes)}`;
  const before = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Availability of ${title}, ${spanInWords(statement)}</title>
<style>${new Markup(STYLE)}</style></head>
<body><header><b>Watchledger</b><span>Statement of availability</span></header>
<main><h1>${firstSentence(statement, title)}</h1>
<p class="soft">${foreign(project.url)} · ${timeIn(span.from, span.offsetMinutes)} to ${timeIn(span.to, span.offsetMinutes)}, all times in UTC${formatUtcOffset(
    span.offsetMinutes,
  )} unless stated · ${issued}</p>
${supersedes(statement)}<div id="verdict" class="verdict" role="status">Not verified yet. In a browser with JavaScript this file verifies itself when it is opened, without any request.</div>
<section><h2>${span.month === null ? 'The span' : 'The month'}</h2>${monthPicture(statement)}</section>
${figuresSection(statement)}${causesSection(statement)}${responseTimesSection(statement)}${incidentsSection(statement)}${maintenanceSection(
    statement,
  )}${correctionsSection(statement)}${methodsSection(statement)}${daysSection(statement)}${evidenceSection(statement)}</main>
${new Markup(DATA_START)}`;
  return { before: before.text, after: `${verifierElement(verifier)}\n</body></html>\n` };
}

/** What follows the data. */
export const verifierElement = (verifier: string): string => `${DATA_END}\n<script>${verifier}${DATA_END}`;

/** The policy that the file states for itself. */
export const policyOf = ({ before }: StatementPage): string =>
  /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(before)?.[1] ?? '';

const spanInWords = ({ span }: StatementContent): string =>
  span.month === null ? `${timeIn(span.from, span.offsetMinutes)} to ${timeIn(span.to, span.offsetMinutes)}` : monthInWords(span.month);

/** A gap that is shorter stands among the figures alone. */
const UNSAID_SHARE = 0.01;

/** The answer first. */
function firstSentence(statement: StatementContent, title: string): Markup {
  const { figures, methods, objective, span } = statement;
  const [main, ...others] = figures.map((of, index) => ({ ...of, shown: methods[index] }));
  const target = objective?.target ?? null;
  const isOver = span.until === span.to;
  if (main?.shown === undefined || main.availability === null)
    return markup`No time counts for ${foreign(title)} in ${spanInWords(statement)}.`;
  const shown = (of: typeof main): string => percentOf(of.availability, of.shown?.rounding.decimals ?? 0);
  const method = others.length === 0 ? null : markup` by the method ${foreign(main.shown.title)}`;
  const rest = others.map((of) => markup`, ${shown(of)} by ${foreign(of.shown?.title ?? of.method)}`);
  const against =
    target === null || main.objectiveMet === null
      ? null
      : markup`; the objective of ${target.percent} % was ${metBy(figures.map(({ objectiveMet }) => objectiveMet))}`;
  const { countedMs, maintenanceMs, unknownMs } = main;
  const isMeasured = unknownMs < UNSAID_SHARE * (countedMs + maintenanceMs + unknownMs);
  const gap = isMeasured ? null : markup` Not measured: ${durationOf(unknownMs)}.`;
  return markup`${foreign(title)} ${isOver ? 'was' : 'has been'} available ${shown(main)} of ${spanInWords(statement)}${isOver ? null : ' so far'}${method}${rest}${against}.${gap}`;
}

const metBy = (met: readonly (boolean | null)[]): string =>
  met.every((one) => one === true) ? 'met' : met.includes(true) ? 'met by some of the methods only' : 'missed';

function supersedes({ edition }: StatementContent): Markup | null {
  const before = edition?.supersedes ?? null;
  return before === null
    ? null
    : markup`<p>It supersedes edition ${before.number}, event <code>${before.event}</code>, SHA-256 <code>${before.sha256}</code>.</p>
`;
}

/** What the figures rest on, and how to verify it without this file's own verifier. */
function evidenceSection({ evidence, streams, checkpoint, keys }: StatementContent): Markup {
  const rows = streams.map(
    ({
      stream,
      first,
      last,
      events,
      complete,
    }) => markup`<tr><td><code>${stream}</code></td><td class="n">${first}</td><td class="n">${last}</td><td class="n">${events}</td><td>${complete ? 'every revision' : 'those that matter here'}</td></tr>
`,
  );
  return markup`<section><h2>Evidence</h2>
<p>This file contains ${evidence.events.length} events of the log, each with a proof that it stands there, under the signed checkpoint below. Every figure above follows from them.</p>
<table class="fine"><thead><tr><th>Stream</th><th class="n">First revision</th><th class="n">Last</th><th class="n">Events</th><th>Contained</th></tr></thead><tbody>
${rows}</tbody></table>
<h3>Checkpoint</h3>
<pre>
${checkpoint}</pre>
<h3>Keys of the signer</h3>
<p>Compare them with the key that you were given before:</p>
<ul>${keys.map((key) => markup`<li><code>${key}</code></li>`)}</ul>
<h3>To verify without trusting this file</h3>
<p>A changed file may contain a changed verifier. The command <code>watchledger verify FILE --key KEY</code> uses its own.</p></section>
`;
}
