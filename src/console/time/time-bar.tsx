import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { address, showInstant, shownInstant } from '../frame/address.ts';
import { useKeys } from '../frame/keys.ts';
import { useEvery } from '../frame/use-every.ts';
import { useNarrow } from '../frame/width.ts';
import { isLive, useFollowedMarks } from '../service/live.ts';
import { isConnected } from '../service/service.ts';
import { clockText, DAY_LENGTH, dayText, fullOf, utcOf } from './instants.ts';
import { type Mark, useMarks } from './marks.ts';
import { neighbour, shownInstantOf } from './neighbour.ts';
import { instantAtPlace, placeOnSpan, type ShownSpan, ticksOf, zoomed } from './scale.ts';
import { useTrack } from './use-track.ts';
import { serverNow } from './server-clock.ts';
import { Link } from '../frame/link.tsx';

const SHOWN_DAYS = 90;
/** While nothing happens the bar moves on this often. */
const TICK_MS = 60_000;
/** A pixel or two beside the end is meant as now. */
const NOW_PLACE = 0.995;

/** Null for the last 90 days, moving on with the time. One for all pages, so that the bar stays where it is. */
const chosenSpan = signal<ShownSpan | null>(null);

function useNow(): number {
  const [, setTick] = useState(0);
  useEvery(TICK_MS, true, () => setTick((before) => before + 1));
  return serverNow();
}

/** The bar of time: its marks are the events of a project, or of all. Drag, click and keys choose the instant that the whole console shows. */
export function TimeBar({ project }: { readonly project: string | null }) {
  const now = useNow();
  const span = chosenSpan.value ?? { from: now - SHOWN_DAYS * DAY_LENGTH, to: now };
  useFollowedMarks(project);
  const marks = useMarks(span, project);
  const shown = shownInstant.value;
  const [dragged, setDragged] = useState<number | null>(null);

  const earlier = neighbour(marks, shown, -1);
  const step = (direction: -1 | 1): void => {
    const next = direction === -1 ? earlier : neighbour(marks, shown, 1);
    if (next !== null) showInstant(next);
    else if (direction === 1 && shown !== null) showInstant(null);
  };
  const zoom = (factor: number, place: number): void => {
    chosenSpan.value = zoomed(span, factor, place, now);
  };
  useKeys({
    '[': { does: 'The event before', run: () => step(-1) },
    ']': { does: 'The event after', run: () => step(1) },
    t: { does: 'Return to now', run: () => showInstant(null) },
    '+': { does: 'Show a shorter time', run: () => zoom(0.5, shown === null ? 1 : placeOnSpan(shown, span)) },
    '-': { does: 'Show a longer time', run: () => zoom(2, shown === null ? 1 : placeOnSpan(shown, span)) },
  });

  const track = useTrack({
    drag: (place) => setDragged(place === null ? null : instantAtPlace(place, span)),
    choose: (place) => {
      setDragged(null);
      showInstant(place > NOW_PLACE && chosenSpan.value === null ? null : instantAtPlace(place, span));
    },
    zoom,
  });

  /** The button that was pressed for it goes: the keyboard continues on the bar. */
  const toNow = (): void => {
    track.ref.current?.focus({ preventScroll: true });
    showInstant(null);
  };

  const at = dragged ?? shown;
  const place = at === null ? 1 : placeOnSpan(at, span);
  const later = at === null || chosenSpan.value !== null ? null : marks.filter((mark) => shownInstantOf(mark) > at).length;
  return (
    <section aria-label="Time">
      <div class="time-bar">
        <div
          ref={track.ref}
          class="track"
          role="slider"
          tabIndex={0}
          aria-label="Instant that is shown"
          aria-valuemin={span.from}
          aria-valuemax={span.to}
          aria-valuenow={at ?? span.to}
          aria-valuetext={at === null ? 'now' : fullOf(at)}
          {...track.handlers}
          onKeyDown={(event) => {
            const [first] = marks;
            if (event.key === 'ArrowLeft' || event.key === 'ArrowDown') step(-1);
            else if (event.key === 'ArrowRight' || event.key === 'ArrowUp') step(1);
            else if (event.key === 'End') showInstant(null);
            else if (event.key === 'Home' && first !== undefined) showInstant(shownInstantOf(first));
            else return;
            event.preventDefault();
          }}
        >
          <Scale marks={marks} span={span} at={at} />
          {place >= 0 && place <= 1 && (
            <div class={at === null ? 'hand now' : 'hand past'} aria-hidden="true" ref={(element) => placeAt(element, place)} />
          )}
        </div>
        {shown === null ? (
          <LiveState />
        ) : (
          <button class="quiet" onClick={toNow}>
            Now
          </button>
        )}
      </div>
      <PastBanner project={project} step={step} hasEarlier={earlier !== null} toNow={toNow} later={later} />
    </section>
  );
}

/** What the streams of the page say; nothing before their first answer. */
function LiveState() {
  const state = isConnected.value ? isLive.value : false;
  return (
    <span class={state === false ? 'live lost' : 'live'}>
      {state !== null && (
        <>
          <span class="dot" aria-hidden="true" /> {state ? 'Live' : 'Not live'}
        </>
      )}
    </span>
  );
}

/** A label further to the right would not fit on the bar. */
const LAST_TICK = 0.95;
const LAST_TICK_NARROW = 0.82;

interface ScaleProps {
  readonly marks: readonly Mark[];
  readonly span: ShownSpan;
  /** What lies after it is drawn faintly; null: nothing does. */
  readonly at: number | null;
}

function Scale({ marks, span, at }: ScaleProps) {
  const isNarrow = useNarrow();
  const ticks = ticksOf(span, isNarrow ? 3 : 8);
  const last = isNarrow ? LAST_TICK_NARROW : LAST_TICK;
  return (
    <>
      <svg class="marks" aria-hidden="true" width="100%" height="24">
        {marks.map((mark) => (
          <MarkLine
            key={mark.event}
            mark={mark}
            place={placeOnSpan(shownInstantOf(mark), span)}
            isLater={at !== null && shownInstantOf(mark) > at}
          />
        ))}
        <line class="axis" x1="0" x2="100%" y1="23.5" y2="23.5" />
      </svg>
      <div class="ticks" aria-hidden="true">
        {ticks.at
          .filter((tick) => placeOnSpan(tick, span) <= last)
          .map((tick) => (
            <span key={tick} ref={(element) => placeAt(element, placeOnSpan(tick, span))}>
              {ticks.areDays ? dayText(tick) : clockText(tick)}
            </span>
          ))}
      </div>
    </>
  );
}

/** By script, because the policy of the page allows no style attributes in its text. */
function placeAt(element: HTMLElement | null, place: number): void {
  if (element !== null) element.style.left = `${String(place * 100)}%`;
}

const TOPS = { failure: 4, maintenance: 8, change: 15 } as const;

function MarkLine({ mark, place, isLater }: { readonly mark: Mark; readonly place: number; readonly isLater: boolean }) {
  if (place < 0 || place > 1) return null;
  const x = `${String(place * 100)}%`;
  return <line class={`mark ${mark.kind}${isLater ? ' later' : ''}`} x1={x} x2={x} y1={TOPS[mark.kind]} y2="24" />;
}

interface PastBannerProps {
  /** The project of the page; null when it has none. */
  readonly project: string | null;
  /** Moves to the event before or after. */
  readonly step: (direction: -1 | 1) => void;
  /** Whether the bar has an event before. */
  readonly hasEarlier: boolean;
  readonly toNow: () => void;
  /** Marks after the instant that is shown; null: the bar does not reach until now. */
  readonly later: number | null;
}

/** Says that the page shows the past; in the past nothing can be changed. */
function PastBanner({ project, step, hasEarlier, toNow, later }: PastBannerProps) {
  const at = shownInstant.value;
  if (at === null) return null;
  return (
    <div class="past-banner" role="status">
      <p>
        <strong>
          As it was on{' '}
          <time dateTime={new Date(at).toISOString()} title={utcOf(at)}>
            {fullOf(at)}
          </time>
        </strong>
        <span>
          read only
          {later !== null && ` · ${later.toLocaleString('en')} ${later === 1 ? 'failure or change' : 'failures and changes'} since`}
        </span>
      </p>
      <div class="past-steps">
        <button
          aria-disabled={!hasEarlier}
          title={hasEarlier ? undefined : 'No earlier event on the bar: − shows a longer time'}
          onClick={() => step(-1)}
        >
          <span aria-hidden="true">←</span> event <kbd>[</kbd>
        </button>
        <button onClick={() => step(1)}>
          event <span aria-hidden="true">→</span> <kbd>]</kbd>
        </button>
        {project !== null && address.value.path[2] !== 'compare' && (
          <Link to={['projects', project, 'compare']} class="button">
            Compare with now
          </Link>
        )}
        <button onClick={toNow}>
          Return to now <kbd>T</kbd>
        </button>
      </div>
    </div>
  );
}
