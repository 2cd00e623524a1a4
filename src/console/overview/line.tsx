import { Link } from '../frame/link.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { GlyphState } from '../parts/glyph-state.ts';
import { Sparkline } from '../parts/sparkline.tsx';
import { Strip } from '../parts/strip.tsx';
import { type StripDay, stripDays, stripWords } from '../parts/strip-days.ts';
import { changedProjects } from '../service/live.ts';
import { shortOf, spanOf } from '../time/instants.ts';
import type { Figures } from './figures.ts';
import { shortAddress } from './shown-sites.ts';
import type { Site } from './site-list.ts';

interface LineProps {
  readonly site: Site;
  /** Shown until the figures are known. */
  readonly listed: GlyphState;
  readonly figures: Figures | undefined;
  readonly now: number;
  readonly shownDays: number;
  readonly isFocused: boolean;
}

/** A site in the table of the overview; its figures come after its name. */
export function Line({ site, listed, figures, now, shownDays, isFocused }: LineProps) {
  const state = figures?.state ?? listed;
  const isMarked = changedProjects.value.has(site.id);
  return (
    <div role="row" class={`line${isMarked ? ' changed' : ''}${isFocused ? ' focused' : ''}`}>
      <span role="cell" class="state">
        <Glyph state={state} />
      </span>
      <span role="cell" class="name">
        <Link to={['projects', site.id]} title={site.title}>
          {site.title}
        </Link>
        {site.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </span>
      <span role="cell" class="host mono" title={site.url}>
        {shortAddress(site.url)}
      </span>
      <span role="cell" class="days">
        {figures !== undefined && <Days days={stripDays(figures.days, now, shownDays)} now={now} />}
      </span>
      <span role="cell" class="response">
        {figures !== undefined && <Response figures={figures} now={now} />}
      </span>
      <span role="cell" class="number median">
        {figures === undefined ? '' : figures.response.median === null ? '–' : <Unit value={String(figures.response.median)} unit="ms" />}
      </span>
      <span role="cell" class={`number certificate${isSoon(figures) ? ' warn' : ''}`}>
        {figures === undefined ? '' : figures.certificateDays === null ? '–' : <Unit value={String(figures.certificateDays)} unit="d" />}
      </span>
      <span role="cell" class="number planned">
        {figures?.nextMaintenance == null ? '' : shortOf(Date.parse(figures.nextMaintenance), now)}
      </span>
      <span role="cell" class="number up" title={figures && `of the ${spanOf(figures.month.measuredSeconds * 1_000)} that were measured`}>
        {figures === undefined ? '' : figures.month.up === null ? '–' : <Unit value={figures.month.up.toFixed(3)} unit="%" />}
      </span>
    </div>
  );
}

const isSoon = (figures: Figures | undefined): boolean => (figures?.certificateDays ?? Infinity) < 14;

function Response({ figures, now }: { readonly figures: Figures; readonly now: number }) {
  if (figures.measuredAt !== null) return <span class="soft">not measured since {shortOf(Date.parse(figures.measuredAt), now)}</span>;
  const { milliseconds, median } = figures.response;
  if (median === null) return <span class="soft">not measured</span>;
  return <Sparkline values={milliseconds} label={`Response time of 24 hours, median ${String(median)} ms`} />;
}

const Unit = ({ value, unit }: { readonly value: string; readonly unit: string }) => (
  <>
    {value} <span class="unit">{unit}</span>
  </>
);

const Days = ({ days, now }: { readonly days: readonly StripDay[]; readonly now: number }) => (
  <Strip days={days} label={`${String(days.length)} days: ${stripWords(days, now)}`} />
);
