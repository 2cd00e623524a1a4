import { Markup, markup } from '../../kernel/markup.ts';
import { type ItemStatus, type StatusDay } from '../model.ts';
import type { PageWords } from '../words/page-words.ts';
import { dayOf, durationIn, percentIn } from '../words/words.ts';
import { SHOWN_DAYS } from '../../watches/uptime/shown-state.ts';

/** Units of a day. */
export const STEP = 8;
export const WIDTH = STEP * SHOWN_DAYS;
const BAR = STEP - 1;
const HEIGHT = 24;
/** The least height of a bar, so that a short time is seen. */
const LEAST = 5;
/** The shortest unmeasured share of a day that is drawn: that of a restart of the service is shorter. */
const SMALLEST_GAP = 0.005;

/** Once in a page: the hatching of time without measurements, and the gaps between days. */
export const barPatterns: Markup = markup`<svg width="0" height="0" aria-hidden="true"><defs>
<pattern id="h" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="h" d="M0 0v4"/></pattern>
<pattern id="g" width="${STEP}" height="${HEIGHT}" patternUnits="userSpaceOnUse"><path class="k" d="M0 0h${BAR}v${HEIGHT}h-${BAR}z"/></pattern>
</defs></svg>`;

const lengthOf = ({ upMs, downMs, unknownMs, maintenanceMs }: StatusDay): number => upMs + downMs + unknownMs + maintenanceMs;

const hasGap = (day: StatusDay): boolean => day.unknownMs > 0 && day.unknownMs >= SMALLEST_GAP * lengthOf(day);

/** 90 days of an item, each a link to the record. */
export function barsOf({ name, days, up }: ItemStatus, record: string, words: PageWords): Markup {
  const figure = up === null ? words.noFigure : percentIn(up, words);
  const label = words.barOf(name, figure, days.filter(({ downMs }) => downMs > 0).length, days.filter(hasGap).length);
  const special = days.map((day, index) => specialDay(day, index, record, words));
  return markup`<div class="strip"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${label}"><a href="${record}" aria-label="${words.record}: ${name}"><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#g)"/></a>${special}</svg></div>`;
}

/** Null when all of the day is known and well. */
function specialDay(day: StatusDay, index: number, record: string, words: PageWords): Markup | null {
  const { at, downMs, unknownMs, maintenanceMs } = day;
  const gap = hasGap(day);
  if (downMs === 0 && maintenanceMs === 0 && !gap) return null;
  const [x, shown] = [index * STEP, dayOf(at, words)];
  const heightOf = (part: number): number => (part === 0 ? 0 : Math.max(LEAST, Math.round((HEIGHT * part) / lengthOf(day))));
  const parts: Markup[] = [];
  const said: string[] = [];
  if (gap) {
    const height = heightOf(unknownMs);
    const color = new Markup('fill="url(#h)"');
    parts.push(
      markup`<rect class="paper" x="${x}" width="${BAR}" height="${height}"/><rect x="${x}" width="${BAR}" height="${height}" ${color}/>`,
    );
    said.push(words.dayUnknown(shown, durationIn(unknownMs, words)));
  }
  if (maintenanceMs > 0) {
    const height = heightOf(maintenanceMs);
    parts.push(markup`<rect class="p" x="${x}" y="${HEIGHT - height}" width="${BAR}" height="${height}"/>`);
    said.push(words.dayPlanned(shown, durationIn(maintenanceMs, words)));
  }
  if (downMs > 0) {
    const height = heightOf(downMs);
    parts.push(markup`<rect class="f" x="${x}" y="${HEIGHT - height}" width="${BAR}" height="${height}"/>`);
    said.push(words.dayFailed(shown, durationIn(downMs, words)));
  }
  const label = said.join('; ');
  const fragment = new Date(at).toISOString().slice(0, 10);
  return markup`<a href="${record}#${fragment}"><title>${label}</title>${parts}</a>`;
}
