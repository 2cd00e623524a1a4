import { Markup, markup } from '../../kernel/markup.ts';
import { itemsOfPage, type StatusPageModel } from '../model.ts';
import type { PageWords } from '../words/page-words.ts';
import { dayOf, momentOf } from '../words/words.ts';
import { STEP, WIDTH } from './bars.ts';
import { shownFrom } from './page-address.ts';
import { SHOWN_DAY, SHOWN_DAYS, firstDayAt } from '../../watches/uptime/shown-state.ts';

export interface TimeMark {
  readonly at: number;
  readonly kind: 'failing' | 'said';
  readonly label: string;
}

/** Soon after a failure began its event stands in the record. */
const AFTER_MS = 60_000;
/** The newest ones. */
const MOST_MARKS = 80;
const TOP = 4;
const AXIS = 28;
const HEIGHT = 34;
const HEIGHTS = { failing: 16, said: 8 } as const;
const CLASSES = { failing: 'f', said: 'note' } as const;
/** Days between labels. */
const LABELS = 15;

/** What happened in the days that a page shows, in order: each leads to the page as it was then. */
export function marksOf({ groups, incidents, at: now }: StatusPageModel, words: PageWords): readonly TimeMark[] {
  const from = firstDayAt(now);
  return [
    ...itemsOfPage({ groups }).flatMap(({ name, failures }) =>
      failures.map((failure): TimeMark => ({
        at: Math.min(now, failure.from + AFTER_MS),
        kind: 'failing',
        label: `${momentOf(failure.from, words)} · ${words.fail(name, 1)}`,
      })),
    ),
    ...incidents.map(({ title, publishedAt }): TimeMark => ({
      at: publishedAt,
      kind: 'said',
      label: `${momentOf(publishedAt, words)} · ${title}`,
    })),
  ]
    .filter(({ at }) => at >= from && at <= now)
    .toSorted((one, other) => one.at - other.at)
    .slice(-MOST_MARKS);
}

interface TimeLine {
  readonly marks: readonly TimeMark[];
  /** The instant that the page shows. */
  readonly at: number;
  /** The end of the line. */
  readonly now: number;
  /** Its name: today, or a day. */
  readonly end: string;
  readonly isPast: boolean;
  /** Address of the page as of an instant in milliseconds. */
  readonly hrefOf: (at: number) => string;
}

/** A line of time: every day and every mark leads to the page as it was then, without script. What lies after the shown instant is faint. */
export function timeLine({ marks, at, now, end: last, isPast, hrefOf }: TimeLine, words: PageWords): Markup {
  const from = firstDayAt(now);
  const xOf = (instant: number): number =>
    Math.min(WIDTH - 3, Math.max(0, Math.round(((instant - from) / (SHOWN_DAYS * SHOWN_DAY)) * WIDTH)));
  const days = Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const end = from + (index + 1) * SHOWN_DAY - 1_000;
    // Marks and steps are enough for a keyboard: ninety stops more would be in its way.
    return end >= now
      ? null
      : markup`<a href="${hrefOf(end)}" tabindex="-1"><title>${dayOf(end, words)}</title><path class="day" d="M${index * STEP} 0h${STEP}v${HEIGHT}h-${STEP}z"/></a>`;
  });
  const placed = marks.map(({ at: instant, kind, label }) => {
    const height = HEIGHTS[kind];
    const later = instant > at ? new Markup(' class="after"') : null;
    return markup`<a href="${hrefOf(instant)}"${later}><title>${label}</title><rect class="${CLASSES[kind]}" x="${xOf(instant)}" y="${AXIS - height}" width="3" height="${height}"/></a>`;
  });
  const cursor = xOf(at);
  const labels = Array.from(
    { length: SHOWN_DAYS / LABELS },
    (_, index) => markup`<span>${dayOf(from + index * LABELS * SHOWN_DAY, words)}</span>`,
  );
  return markup`<div class="times"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${words.otherTime}"><path class="axis" d="M0 ${AXIS}h${WIDTH}"/>${days}${placed}<path class="${isPast ? 'cursor then' : 'cursor'}" d="M${cursor} ${TOP}h3v${AXIS}h-3z"/></svg></div><p class="scale dates">${labels}<span>${last}</span></p>`;
}

/** Links from mark to mark, and back to now. */
export function timeSteps({ marks, at, isPast, hrefOf }: TimeLine, home: string, words: PageWords): Markup {
  // By the instants of their addresses: otherwise a mark within a second would lead to itself.
  const before = marks.findLast((mark) => shownFrom(mark.at) < at - (isPast ? 0 : AFTER_MS));
  const after = isPast ? marks.find((mark) => shownFrom(mark.at) > at) : undefined;
  const step = (label: string, mark: TimeMark | undefined, rel: string): Markup | null =>
    mark === undefined ? null : markup`<a rel="${rel}" href="${hrefOf(mark.at)}">${label}: ${mark.label}</a>`;
  const steps = [
    step(words.earlier, before, 'prev'),
    step(words.later, after, 'next'),
    isPast ? markup`<a href="${home}">${words.backToNow}</a>` : null,
  ];
  return markup`<ul class="steps">${steps.flatMap((one) => (one === null ? [] : [markup`<li>${one}</li>`]))}</ul>`;
}
