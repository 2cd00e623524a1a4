import { announcedWithin, maintenanceWithin } from '../../projects/maintenance/occurrences.ts';
import {
  type AvailabilityMethod,
  formatUtcOffset,
  noObjective,
  type ServiceObjective,
  standardMethod,
} from '../../projects/objectives/objective.settings.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import { Sketch } from '../../platform/observations/response-times/sketch.ts';
import type {
  DayPart,
  StatedDay,
  StatedIncident,
  StatedObjective,
  StatedResponseTimes,
  StatedWindow,
  StatementFigures,
  StatementSpan,
} from './document.ts';
import { causeAt, type KnownInterval, startOfUtcDay, type StatementFacts } from './facts.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { figuresBy, UNRECORDED } from './figures.ts';

export interface ComposeRequest {
  readonly span: StatementSpan;
  /** Names of methods; empty: all of the objective. */
  readonly asked: readonly string[];
  /** Intervals of days that are not closed, which no event states. */
  readonly measured: ReadonlyMap<string, readonly DayPart[]>;
}

export class UnknownMethod extends Error {
  override readonly name = 'UnknownMethod';

  constructor(
    readonly method: string,
    readonly known: readonly string[],
  ) {
    super(`there is no method "${method}"`);
  }
}

/** Everything that a statement says, computed from its evidence. Pure: the service, the command line and the file itself call it. */
export function composeStatement(facts: StatementFacts, { span, asked, measured }: ComposeRequest): StatementFigures {
  const chosen = objectiveOf(facts, span);
  const methods = methodsOf(chosen?.set ?? null, asked);
  const within = { from: Date.parse(span.from), to: Date.parse(span.until) };
  const days = daysOf(facts, within, measured);
  const known = days.flatMap(knownOf).flatMap((interval) => clipped(interval, within));
  const incidents = incidentsOf(facts, known);
  const spans = incidents.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
  const objective = chosen?.stated ?? null;
  return {
    objective,
    methods: methods.map((method) => ({ ...method, words: methodInWords(method, span.offsetMinutes) })),
    figures: methods.map((method) => figuresBy(method, { span, facts, objective, known, incidents: spans })),
    responseTimes: responseTimesOf(facts, within),
    incidents,
    maintenance: facts.windows.flatMap((window) => windowWithin(window, within)),
    corrections: facts.corrections.filter(({ from, to }) => Date.parse(from) < within.to && Date.parse(to) > within.from),
    days,
  };
}

/** The objective in force at the end of the span; without one, one that was set later, which the statement says. */
function objectiveOf(
  { objectives }: StatementFacts,
  { to }: StatementSpan,
): { readonly set: ServiceObjective; readonly stated: StatedObjective } | null {
  const last = objectives.findLast(({ recordedAt }) => Date.parse(recordedAt) < Date.parse(to));
  const chosen = last ?? objectives.find(({ set }) => set !== null);
  if (chosen === undefined || chosen.set === null) return null;
  const { set, recordedAt, event } = chosen;
  const stated = { target: set.target, credits: set.credits, setAt: recordedAt, event, afterwards: last === undefined };
  return { set, stated };
}

/** The methods of a statement: those that were asked for, or all of the objective. The standard method can always be asked for. */
export function methodsOf(objective: ServiceObjective | null, asked: readonly string[]): readonly AvailabilityMethod[] {
  const { methods } = objective ?? noObjective;
  const offered = methods.some(({ name }) => name === standardMethod.name) ? methods : [...methods, standardMethod];
  return asked.length === 0
    ? methods
    : asked.map((wanted) => {
        const found = offered.find(({ name }) => name === wanted);
        if (found === undefined)
          throw new UnknownMethod(
            wanted,
            offered.map(({ name }) => name),
          );
        return found;
      });
}

/** Every UTC day that reaches into the span. */
export function utcDaysOf({ from, to }: TimeSpan): readonly string[] {
  const first = Math.floor(from / DAY_MS);
  return Array.from({ length: Math.max(0, Math.ceil(to / DAY_MS) - first) }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

const daysOf = ({ days }: StatementFacts, span: TimeSpan, measured: ComposeRequest['measured']): readonly StatedDay[] =>
  utcDaysOf(span).map((day) => {
    const closed = days.get(day);
    const start = startOfUtcDay(day);
    if (closed === undefined) return { day, event: null, measured: measured.has(day), intervals: measured.get(day) ?? [] };
    const intervals = closed.intervals.map(({ from, to, state }): DayPart => [from - start, to - start, state]);
    return { day, event: closed.event, measured: false, intervals };
  });

const knownOf = ({ day, intervals }: StatedDay): readonly KnownInterval[] => {
  const start = startOfUtcDay(day);
  return intervals.map(([from, to, state]) => ({ from: start + from, to: start + to, state }));
};

function clipped({ from, to, state }: KnownInterval, span: TimeSpan): readonly KnownInterval[] {
  const cut = { from: Math.max(from, span.from), to: Math.min(to, span.to), state };
  return cut.from < cut.to ? [cut] : [];
}

/** Failing intervals that follow each other without a gap are one incident. */
function incidentsOf(facts: StatementFacts, known: readonly KnownInterval[]): readonly StatedIncident[] {
  const spans: { from: number; to: number }[] = [];
  for (const { from, to, state } of known) {
    if (state === 'up') continue;
    const last = spans.at(-1);
    if (last?.to === from) last.to = to;
    else spans.push({ from, to });
  }
  return spans.map(({ from, to }) => {
    const cause = causeAt(facts, from);
    const stated = { cause: cause?.cause ?? UNRECORDED, event: cause?.event ?? null };
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ms: to - from, ...stated };
  });
}

function windowWithin(window: StatementFacts['windows'][number], span: TimeSpan): readonly StatedWindow[] {
  const announced = new Set(announcedWithin([window], span).map(({ from }) => from));
  const occurrences = maintenanceWithin([window], span).map(({ from, to }) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    announced: announced.has(from),
  }));
  return occurrences.length === 0 ? [] : [{ ...window, occurrences }];
}

function responseTimesOf({ sketches }: StatementFacts, { from, to }: TimeSpan): StatedResponseTimes | null {
  const days = [...sketches].filter(([day]) => startOfUtcDay(day) >= from && startOfUtcDay(day) < to).map(([, sketch]) => sketch);
  const whole = Sketch.of(...days);
  const [p50, p95, p99] = (whole.quantiles([0.5, 0.95, 0.99]) ?? []).map((tenths) => Math.round(tenths) / 10);
  if (p50 === undefined || p95 === undefined || p99 === undefined) return null;
  return { responses: whole.count, days: days.length, p50, p95, p99 };
}

/** The method in sentences; each states one part of its data. */
function methodInWords({ down, maintenance, unknown, rounding }: AvailabilityMethod, offsetMinutes: number): readonly string[] {
  const { decimals, mode } = rounding;
  return [
    'Availability is the up time divided by the counted time, which is up time and down time together.',
    down.unconfirmed
      ? 'A failure counts as down from its first failing probe, whether or not a second probe confirmed it.'
      : 'A failure counts as down from its first failing probe, when a second probe confirmed it; other failures count as up.',
    down.timeouts ? 'An answer that does not come in time counts as down.' : 'An answer that does not come in time counts as up.',
    {
      none: 'Maintenance is counted like any other time.',
      announced: 'Maintenance that was recorded before it began is left out of the counted time; other maintenance is counted.',
      all: 'All maintenance is left out of the counted time, also maintenance that was recorded after it had begun.',
    }[maintenance],
    unknown === 'down'
      ? 'Time without measurements counts as down.'
      : 'Time without measurements is left out of the counted time; it counts neither as up nor as down.',
    'Corrections concern single checks. They are listed and change no figure of the site.',
    `Availability has ${String(decimals)} decimals, rounded ${mode === 'down' ? 'down' : 'to the nearest'}. It is compared with objective and credits as rounded.`,
    `Days and months begin at midnight in UTC${formatUtcOffset(offsetMinutes)}. Response times are those of the UTC days that begin in the span.`,
  ];
}
