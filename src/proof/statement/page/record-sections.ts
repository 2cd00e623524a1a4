import { formatUtcOffset } from '../../../projects/objectives/objective.settings.ts';
import type { StatedDay, StatedWindow, StatementContent, StatementSpan } from '../document.ts';
import { DAY_MS } from '../../../kernel/time.ts';
import { foreign, type Markup, markup } from '../../../kernel/markup.ts';
import { clockOf, dateIn, durationOf, percentOf, timeIn } from './units.ts';

const eventCode = (event: string | null, without: string): Markup => (event === null ? markup`${without}` : markup`<code>${event}</code>`);

export function incidentsSection({ incidents, span }: StatementContent): Markup {
  if (incidents.length === 0)
    return markup`<section><h2>Incidents</h2><p>The uptime of the site has no confirmed failure in this span. Failures of single checks are not part of this statement.</p></section>
`;
  const rows = incidents.map(
    ({
      from,
      to,
      ms,
      cause,
      event,
    }) => markup`<tr><td class="t">${timeIn(from, span.offsetMinutes)}</td><td class="t">${timeIn(to, span.offsetMinutes)}</td><td class="n">${durationOf(ms)}</td><td>${foreign(cause)}<br>${eventCode(event, 'without an event')}</td></tr>
`,
  );
  return markup`<section><h2>Incidents</h2>
<table><thead><tr><th>From</th><th>To</th><th class="n">Duration</th><th>Cause and event</th></tr></thead><tbody>
${rows}</tbody></table></section>
`;
}

export function maintenanceSection({ maintenance, span }: StatementContent): Markup {
  if (maintenance.length === 0)
    return markup`<section><h2>Maintenance</h2><p>No maintenance window in this span.</p></section>
`;
  const occurrence = ({ from, to, announced }: StatedWindow['occurrences'][number]): Markup =>
    markup`<li>${timeIn(from, span.offsetMinutes)} to ${timeIn(to, span.offsetMinutes)}, ${announced ? 'announced' : 'entered afterwards'}</li>`;
  const rows = maintenance.map(
    ({ note, repeat, announcedAt, event, endedAt, endEvent, occurrences }) => markup`<tr><td>${
      note === '' ? 'Maintenance' : foreign(note)
    }${repeat === null ? null : `, ${repeat}`}<ul>${occurrences.map(occurrence)}</ul></td><td>entered ${timeIn(announcedAt, span.offsetMinutes)}<br><code>${event}</code>${
      endedAt === null ? null : markup`<br>ended ${timeIn(endedAt, span.offsetMinutes)}<br>${eventCode(endEvent, '')}`
    }</td></tr>
`,
  );
  return markup`<section><h2>Maintenance</h2>
<table><thead><tr><th>Window</th><th>Events</th></tr></thead><tbody>
${rows}</tbody></table></section>
`;
}

export function correctionsSection({ corrections, span }: StatementContent): Markup {
  if (corrections.length === 0)
    return markup`<section><h2>Corrections</h2><p>No check was corrected in this span.</p></section>
`;
  const rows = corrections.map(
    ({
      checkId,
      from,
      to,
      reason,
      recordedAt,
      runs,
      judged,
      changed,
      event,
    }) => markup`<tr><td>${foreign(reason)}<br>check <code>${checkId}</code></td><td>${timeIn(from, span.offsetMinutes)} to ${timeIn(to, span.offsetMinutes)}<br>${judged} of ${runs} runs judged again, ${changed} changed</td><td>${timeIn(recordedAt, span.offsetMinutes)}<br><code>${event}</code></td></tr>
`,
  );
  return markup`<section><h2>Corrections</h2>
<p class="soft">They concern single checks and change no figure of the site.</p>
<table><thead><tr><th>Reason</th><th>Span</th><th>Recorded</th></tr></thead><tbody>
${rows}</tbody></table></section>
`;
}

export function methodsSection({ methods }: StatementContent): Markup {
  const list = methods.map(
    ({ title, words }) => markup`<h3>${foreign(title)}</h3><ul>${words.map((sentence) => markup`<li>${sentence}</li>`)}</ul>
`,
  );
  return markup`<section><h2>Method</h2>
${list}</section>
`;
}

export function daysSection({ figures, methods, days, span }: StatementContent): Markup {
  const rows = datesOf(span).map((date) => {
    const ofDate = figures.map((of) => of.days.find((day) => day.date === date));
    const [first] = ofDate;
    if (first === undefined)
      return markup`<tr><td class="t">${date}</td><td class="n" colspan="${2 * figures.length + 1}">not measured</td><td></td></tr>
`;
    const cells = ofDate.map(
      (day, column) =>
        markup`<td class="n">${percentOf(day?.availability ?? null, methods[column]?.rounding.decimals ?? 0)}</td><td class="n">${durationOf(day?.downMs ?? 0)}</td>`,
    );
    return markup`<tr><td class="t">${date}</td>${cells}<td class="n">${durationOf(first.unknownMs)}</td><td class="n">${durationOf(first.maintenanceMs)}</td></tr>
`;
  });
  return markup`<section><h2>Days</h2>
<p class="soft">Days of UTC${formatUtcOffset(span.offsetMinutes)}.</p>
<table class="fine"><thead><tr><th>Day</th>${methods.map(
    ({ title }) => markup`<th class="n">${foreign(title)}</th><th class="n">Down</th>`,
  )}<th class="n">Not measured</th><th class="n">Maintenance</th></tr></thead><tbody>
${rows}</tbody></table></section>
<section><h2>Exact intervals</h2>
<p class="soft">UTC days, as the event of each day states them. Time in no interval was not measured.</p>
<table class="fine"><thead><tr><th>UTC day</th><th>Intervals</th></tr></thead><tbody>
${days.map(intervalRow)}</tbody></table></section>
`;
}

/** Every day that reaches into the known part of the span. */
function datesOf({ from, until, offsetMinutes }: StatementSpan): readonly string[] {
  const shift = offsetMinutes * 60_000;
  const first = Math.floor((Date.parse(from) + shift) / DAY_MS);
  const count = Math.ceil((Date.parse(until) + shift) / DAY_MS) - first;
  return Array.from({ length: Math.max(0, count) }, (_, index) => dateIn((first + index) * DAY_MS, 0));
}

const STATES = { up: 'up', down: 'down', timeout: 'no answer in time' } as const;

function intervalRow({ day, event, measured, intervals }: StatedDay): Markup {
  const parts = intervals.map(([from, to, state]) => `${clockOf(from)}–${clockOf(to)} ${STATES[state]}`);
  const source = measured ? 'not closed yet: stated by the service alone' : 'not closed';
  return markup`<tr><td class="t">${day}</td><td>${parts.length === 0 ? 'not measured' : parts.join(', ')}<br>${eventCode(event, source)}</td></tr>
`;
}
