import type { LogEvent } from '../../../src/kernel/event.ts';
import { percentages, type ReportRequest, type Totals, type UptimeTotals } from '../../../src/platform/observations/samples/report.ts';
import type { Sample } from '../../../src/platform/observations/samples/sample.ts';
import { DAY, HOUR, MINUTE, SECOND, TAKEN_MS } from '../time-limits.ts';
import type { SiteTruth } from '../site-truth.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import { during, type Interval } from './interval.ts';
import { daysOf, type Figures, figuresOf, knownTimes } from './uptime-model.ts';

export interface Watched {
  readonly projectId: string;
  /** All that were accepted. */
  readonly samples: readonly Sample[];
  readonly truth: SiteTruth;
  readonly faultPeriods: FaultPeriods;
  /** The product's own report. */
  readonly report: (request: ReportRequest) => Promise<UptimeTotals>;
}

type Tell = (what: string) => void;

/** Of these offsets days are counted too: with half an hour, and far on either side of a closed day. */
const OFFSETS = [0, 60, 345, -210, 840] as const;

/** Uptime reports of any period, in total and by day, equal the model to the millisecond, and the model agrees with the true state. */
export async function uptimeIsTrue(watched: Watched, span: Interval, random: () => number, broken: Tell): Promise<void> {
  const tell: Tell = (what) => {
    broken(`uptime of ${watched.projectId}: ${what}`);
  };
  const known = knownTimes(watched.samples);
  const maintenance = watched.faultPeriods.maintenance.filter(({ projectId }) => projectId === watched.projectId);
  const spans = OFFSETS.flatMap((offsetMinutes) =>
    [span, anySpan(span, 40 * DAY, random), anySpan(span, 3 * DAY, random), anySpan(span, 2 * HOUR, random)].flatMap((asked) =>
      [[], maintenance].map((uncounted) => ({ offsetMinutes, asked, uncounted })),
    ),
  );
  for (const { offsetMinutes, asked, uncounted } of spans) {
    const excluded = merged(uncounted, asked);
    const { total, days } = await watched.report({ ...asked, offsetMinutes, now: span.to, excluded });
    sameFigures('the whole', total, figuresOf(known, asked, uncounted), asked, tell);
    for (const { midnight, ...day } of daysOf(asked, offsetMinutes)) {
      const said = days.find(({ at }) => at === midnight);
      const is = figuresOf(known, day, uncounted);
      if (said !== undefined) sameFigures(iso(midnight), said, is, day, tell);
      else if (is.up + is.down + is.timeout > 0) tell(`${iso(midnight)} is missing`);
    }
  }
  boundedByTruth(watched, figuresOf(known, span, []), span, tell);
}

const iso = (at: number): string => new Date(at).toISOString();

function sameFigures(what: string, said: Totals, is: Figures, { from, to }: Interval, tell: Tell): void {
  const differs = Math.abs(said.upMs - is.up) + Math.abs(said.downMs - is.down) + Math.abs(said.timeoutMs - is.timeout);
  if (differs > 1)
    tell(
      `${what}: up ${String(said.upMs)} ms, down ${String(said.downMs)}, timeout ${String(said.timeoutMs)}; it was ${JSON.stringify(is)}`,
    );
  const all = said.upMs + said.downMs + said.timeoutMs + said.unknownMs + said.maintenanceMs;
  if (Math.abs(all - (to - from)) > 1) tell(`${what}: ${String(all)} ms of ${String(to - from)}`);
  const { up, down, timeout } = percentages(said);
  if (is.up + is.down + is.timeout > 0 && Math.abs(up + down + timeout - 100) > 1e-6) tell(`${what}: ${String(up + down + timeout)} %`);
}

/** An outage is detected up to a period late at either end, and shifted by a wrong clock; a single failure counts until the next probe. */
function boundedByTruth({ projectId, truth, faultPeriods }: Watched, { up, down, timeout }: Figures, span: Interval, tell: Tell): void {
  const unknown = span.to - span.from - up - down - timeout;
  const outages = truth.outages(projectId, span.to);
  const blur = outages.length * 2 * (MINUTE + 20 * SECOND) + faultPeriods.steps.length * faultPeriods.blur(span.from, span.to);
  const strays = truth.stumblesBetween(projectId, span.from, span.to) * 2 * MINUTE;
  for (const [state, found] of [
    ['refused', down],
    ['silent', timeout],
  ] as const) {
    const really = during(
      outages.filter((outage) => outage.state === state),
      span.from,
      span.to,
    );
    if (found > really + blur + strays) tell(`${state} for ${minutes(found)}, really for ${minutes(really)}`);
    if (found < really - blur - unknown) tell(`${state} for ${minutes(found)} only, really for ${minutes(really)}`);
  }
  const excused =
    during(faultPeriods.absences, span.from, span.to, TAKEN_MS + 2 * MINUTE) +
    faultPeriods.steps.length * faultPeriods.blur(span.from, span.to);
  const inconclusive = ((span.to - span.from) / DAY) * 30 * MINUTE;
  if (unknown > excused + inconclusive) tell(`unknown for ${minutes(unknown)}, of which ${minutes(excused + inconclusive)} are excused`);
}

function anySpan({ from, to }: Interval, longest: number, random: () => number): Interval {
  const length = Math.ceil(random() * Math.min(longest, to - from));
  const begin = from + Math.floor(random() * (to - from - length));
  return { from: begin, to: begin + length };
}

function merged(spans: readonly Interval[], within: Interval): readonly Interval[] {
  const all: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (from >= within.to || to <= within.from) continue;
    if (last !== undefined && last.to >= from) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** Down and up alternate. */
export function uptimeTakesTurns(events: readonly LogEvent[], broken: Tell): void {
  const down = new Set<string>();
  for (const { type, scope } of events) {
    if (type !== 'UptimeWentDown' && type !== 'UptimeWentUp') continue;
    if (down.has(scope) === (type === 'UptimeWentDown')) broken(`${type} of ${scope} twice`);
    if (type === 'UptimeWentDown') down.add(scope);
    else down.delete(scope);
  }
}

const minutes = (milliseconds: number): string =>
  milliseconds < 2 * HOUR ? `${String(Math.round(milliseconds / MINUTE))} minutes` : `${String(Math.round(milliseconds / HOUR))} hours`;
