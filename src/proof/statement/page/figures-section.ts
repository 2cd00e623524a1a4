import type { MethodFigures, StatementContent } from '../document.ts';
import { foreign, type Markup, markup, type MarkupPart } from '../../../kernel/markup.ts';
import { durationOf, percentOf, timeIn } from './units.ts';

/** Every figure is a row, every method a column. */
export function figuresSection(statement: StatementContent): Markup {
  const { methods, figures, objective } = statement;
  const decimals = methods.map(({ rounding }) => rounding.decimals);
  const row = (name: string, cell: (of: MethodFigures, column: number) => MarkupPart, look = ''): Markup =>
    markup`<tr class="${look}"><th scope="row">${name}</th>${figures.map((of, column) => markup`<td class="n">${cell(of, column)}</td>`)}</tr>
`;
  const target = objective?.target ?? null;
  const hasBudget = figures.some(({ errorBudget }) => errorBudget !== null);
  return markup`<section><h2>Figures</h2>
<table><thead><tr><th></th>${methods.map(({ title }) => markup`<th class="n" scope="col">${foreign(title)}</th>`)}</tr></thead><tbody>
${row('Availability', ({ availability }, column) => percentOf(availability, decimals[column] ?? 0), 'main')}${[
    row('Up', ({ upMs }) => durationOf(upMs)),
    row('Down', ({ downMs }) => durationOf(downMs)),
    row('Counted time: up and down', ({ countedMs }) => durationOf(countedMs)),
    row('Not measured', ({ unknownMs }) => durationOf(unknownMs)),
    row('Left out as maintenance', ({ maintenanceMs }) => durationOf(maintenanceMs)),
    row('Incidents', ({ incidents }) => incidents),
  ]}${
    figures.some(({ unlistedFailures }) => unlistedFailures > 0)
      ? row('Unconfirmed failures that were counted without their time', ({ unlistedFailures }) => unlistedFailures)
      : null
  }${target === null ? null : row(`Objective: ${String(target.percent)} % of a ${target.window}`, ({ objectiveMet }) => met(objectiveMet))}${
    hasBudget ? row('Error budget', ({ errorBudget }) => (errorBudget === null ? 'none' : durationOf(errorBudget.allowedMs))) : null
  }${hasBudget ? row('Error budget used', ({ errorBudget }) => (errorBudget === null ? '' : durationOf(errorBudget.usedMs))) : null}${
    hasBudget ? row('Error budget left', ({ errorBudget }) => (errorBudget === null ? '' : left(errorBudget.remainingMs))) : null
  }${figures.some(({ credit }) => credit !== null) ? row('Credit', ({ credit }) => (credit === null ? 'none' : `${String(credit)} %`)) : null}</tbody></table>
${aboutObjective(statement)}</section>
`;
}

const met = (isMet: boolean | null): Markup =>
  isMet === null ? markup`not applicable` : isMet ? markup`<span class="met">✓ met</span>` : markup`<span class="missed">▲ missed</span>`;

const left = (ms: number): MarkupPart => (ms < 0 ? markup`<span class="missed">exceeded by ${durationOf(-ms)}</span>` : durationOf(ms));

function aboutObjective({ objective, span }: StatementContent): Markup {
  if (objective === null) return markup`<p class="soft">The project had no objective.</p>`;
  const { credits, setAt, event, afterwards, target } = objective;
  const tiers = credits.map(({ below, percent }) => `below ${String(below)} %: ${String(percent)} %`).join('; ');
  return markup`${
    target === null || credits.length === 0 ? null : markup`<p class="soft">Credits of the fee: ${tiers}.</p>`
  }<p class="soft">Objective and methods were set at ${timeIn(setAt, span.offsetMinutes)}${
    afterwards ? ', for the first time after this span' : ''
  }, event <code>${event}</code>.</p>`;
}

/** Causes of all methods, each with its counted downtime. */
export function causesSection({ methods, figures }: StatementContent): Markup {
  const causes = [...new Set(figures.flatMap(({ downtimeByCause }) => downtimeByCause.map(({ cause }) => cause)))];
  if (causes.length === 0)
    return markup`<section><h2>Downtime by cause</h2><p>No downtime counts.</p></section>
`;
  const rows = causes.map(
    (cause) => markup`<tr><th scope="row">${foreign(cause)}</th>${figures.map(
      ({ downtimeByCause }) => markup`<td class="n">${durationOf(downtimeByCause.find((one) => one.cause === cause)?.ms ?? 0)}</td>`,
    )}</tr>
`,
  );
  return markup`<section><h2>Downtime by cause</h2>
<table><thead><tr><th>Cause</th>${methods.map(({ title }) => markup`<th class="n" scope="col">${foreign(title)}</th>`)}</tr></thead><tbody>
${rows}</tbody></table></section>
`;
}

export function responseTimesSection({ responseTimes }: StatementContent): Markup {
  if (responseTimes === null)
    return markup`<section><h2>Response times</h2><p>No closed day of this span has response times.</p></section>
`;
  const { responses, days, p50, p95, p99 } = responseTimes;
  const cell = (value: number): Markup => markup`<td class="n">${value} ms</td>`;
  return markup`<section><h2>Response times</h2>
<table><thead><tr><th class="n">Responses</th><th class="n">Closed days</th><th class="n">Median</th><th class="n">95th percentile</th><th class="n">99th percentile</th></tr></thead>
<tbody><tr><td class="n">${responses}</td><td class="n">${days}</td>${cell(p50)}${cell(p95)}${cell(p99)}</tr></tbody></table></section>
`;
}
