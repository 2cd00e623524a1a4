import type { TimeSpan } from '../../../kernel/instants.ts';
import type { StatementContent } from '../document.ts';
import { type KnownInterval, startOfUtcDay } from '../facts.ts';
import { DAY_MS } from '../../../kernel/time.ts';
import { Markup, markup } from '../../../kernel/markup.ts';
import { dateIn } from './units.ts';

const [LEFT, WIDTH, TOP] = [72, 688, 16];
const HOURS = [0, 6, 12, 18, 24];
/** So that a failure of seconds is seen. */
const NARROWEST = 1.5;
/** Up to two months have a row of this height for each day. */
const [ROW, LOW_ROW, MANY_DAYS] = [12, 5, 62];

interface Row extends TimeSpan {
  readonly top: number;
  readonly height: number;
}

/** Each day a row, each instant at its place; time without measurements is hatched. */
export function monthPicture({ span, days, maintenance }: StatementContent): Markup {
  const [from, until, to] = [Date.parse(span.from), Date.parse(span.until), Date.parse(span.to)];
  const shift = span.offsetMinutes * 60_000;
  const first = Math.floor((from + shift) / DAY_MS);
  const count = Math.ceil((to + shift) / DAY_MS) - first;
  const pitch = count > MANY_DAYS ? LOW_ROW : ROW;
  const known = days.flatMap(({ day, intervals }) => {
    const start = startOfUtcDay(day);
    return intervals.map(([begin, end, state]): KnownInterval => ({ from: start + begin, to: start + end, state }));
  });
  const planned = maintenance.flatMap(({ occurrences }) =>
    occurrences.map((one) => ({ from: Date.parse(one.from), to: Date.parse(one.to) })),
  );
  const rows = Array.from({ length: count }, (_, index): Markup => {
    const start = (first + index) * DAY_MS - shift;
    const row: Row = { from: start, to: start + DAY_MS, top: TOP + index * pitch, height: pitch - 2 };
    const measured = { from: Math.max(start, from), to: Math.min(row.to, until) };
    const within = known.filter((one) => one.from < measured.to && one.to > measured.from);
    const drawn = within.map((one) => ({ ...one, from: Math.max(one.from, measured.from), to: Math.min(one.to, measured.to) }));
    const marks = planned.filter((one) => one.from < row.to && one.to > row.from);
    return new Markup(
      [
        labelOf(row, index, pitch, span.offsetMinutes),
        ...gapsOf(measured, drawn).map((one) => bar('unknown', row, one)),
        ...merged(drawn.filter(({ state }) => state === 'up')).map((one) => bar('up', row, one)),
        ...drawn.filter(({ state }) => state !== 'up').map((one) => bar(one.state, row, one)),
        ...marks.map((one) => bar('plan', { ...row, top: row.top + row.height - 3, height: 3 }, one)),
      ].join(''),
    );
  });
  const height = TOP + count * pitch;
  const hours = HOURS.map(
    (hour) => markup`<text x="${LEFT + (WIDTH * hour) / 24}" y="10" text-anchor="${hour === 24 ? 'end' : 'start'}">${hour}:00</text>`,
  );
  return markup`<figure><svg viewBox="0 0 ${LEFT + WIDTH} ${height}" role="img" aria-label="Each day a row from midnight to midnight: up, down, and not measured">${HATCH}${hours}${rows}</svg>
<figcaption>${key('up', 'up')}${key('down', 'down')}${key('timeout', 'no answer in time (lower bar)')}${key('unknown', 'not measured')}${key('plan', 'maintenance (line below)')}</figcaption></figure>`;
}

const HATCH = markup`<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="blank" width="5" height="5"></rect><line class="hatch" x1="0" y1="0" x2="0" y2="5"></line></pattern></defs>`;

const key = (state: string, words: string): Markup =>
  markup`<span><svg class="key" viewBox="0 0 16 10" aria-hidden="true">${new Markup(shape(state, { left: 0, top: 0, width: 16, height: 10 }))}</svg>${words}</span> `;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function bar(state: string, { from, top, height }: Row, part: TimeSpan): string {
  const place = (at: number): number => (WIDTH * Math.max(0, Math.min(at - from, DAY_MS))) / DAY_MS;
  const [begin, end] = [place(part.from), place(part.to)];
  const least = state === 'down' || state === 'timeout' ? NARROWEST : 0;
  return shape(state, { left: LEFT + begin, top, width: Math.max(end - begin, least), height });
}

/** Numbers and names of ours: nothing to escape. */
function shape(state: string, { left, top, width, height }: Box): string {
  const inset = state === 'timeout' ? height / 2 : 0;
  const [x, y, wide, high] = [left, top + inset, width, height - inset].map((value) => String(Math.round(value * 100) / 100));
  const look = state === 'unknown' ? 'fill="url(#hatch)"' : `class="${state}"`;
  return `<rect ${look} x="${x ?? ''}" y="${y ?? ''}" width="${wide ?? ''}" height="${high ?? ''}"></rect>`;
}

/** Among low rows only the first row and the first day of a month have a date. */
function labelOf({ from, top, height }: Row, index: number, pitch: number, offsetMinutes: number): string {
  const date = dateIn(from, offsetMinutes);
  if (pitch === LOW_ROW && index > 0 && !date.endsWith('-01')) return '';
  return `<text x="0" y="${String(top + (pitch === LOW_ROW ? 6 : height - 1))}">${date}</text>`;
}

function gapsOf({ from, to }: TimeSpan, known: readonly TimeSpan[]): readonly TimeSpan[] {
  const edges = [from, ...merged(known).flatMap((one) => [one.from, one.to]), to];
  return edges.flatMap((begin, index) => {
    const end = edges[index + 1];
    return index % 2 === 0 && end !== undefined && begin < end ? [{ from: begin, to: end }] : [];
  });
}

/** Intervals that follow each other without a gap, as one. */
function merged(intervals: readonly TimeSpan[]): readonly TimeSpan[] {
  const parts: { from: number; to: number }[] = [];
  for (const { from, to } of intervals) {
    const last = parts.at(-1);
    if (last?.to === from) last.to = to;
    else parts.push({ from, to });
  }
  return parts;
}
