import { formatUtcOffset } from '../../../projects/objectives/objective.settings.ts';
import type { StatementContent } from '../document.ts';
import type { Platform } from '../../../client/verify/platform.ts';
import { causesSection, figuresSection, responseTimesSection } from './figures-section.ts';
import { foreign, Markup, markup } from '../../../kernel/markup.ts';
import { monthPicture } from './month-picture.ts';
import { DATA_END, DATA_START, type StatementPage } from './page-file.ts';
import { correctionsSection, daysSection, incidentsSection, maintenanceSection, methodsSection } from './record-sections.ts';
import { STYLE } from './style.ts';
import { durationOf, monthInWords, percentOf, timeIn } from './units.ts';

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
