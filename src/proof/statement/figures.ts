import type { AvailabilityMethod, ObjectiveWindow } from '../../projects/objectives/objective.settings.ts';
import { announcedWithin, maintenanceWithin } from '../../projects/maintenance/occurrences.ts';
import { uptimeTotals } from '../../platform/observations/samples/report.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import type { MethodFigures, StatedObjective, StatementSpan } from './document.ts';
import { causeAt, type KnownInterval, type StatementFacts } from './facts.ts';

export interface FiguresRequest {
  readonly span: StatementSpan;
  readonly facts: StatementFacts;
  readonly objective: StatedObjective | null;
  /** Within the span, in order, without overlaps. */
  readonly known: readonly KnownInterval[];
  readonly incidents: readonly TimeSpan[];
}

/** The figures of one method: a pure function of the intervals and windows, the same in the service, on the command line and in a browser. */
export function figuresBy(method: AvailabilityMethod, request: FiguresRequest): MethodFigures {
  const { span, facts, objective, incidents } = request;
  const [from, until] = [Date.parse(span.from), Date.parse(span.until)];
  const excluded = excludedBy(method, facts, { from, to: until });
  const pieces = judgedBy(method, request);
  const totals = uptimeTotals(pieces, { from, to: until, now: until, offsetMinutes: span.offsetMinutes, excluded });
  const unknownIsDown = method.unknown === 'down';
  const sum = ({ upMs, downMs, timeoutMs, unknownMs, maintenanceMs }: (typeof totals)['total']) => ({
    upMs,
    unknownMs,
    maintenanceMs,
    downMs: downMs + timeoutMs + (unknownIsDown ? unknownMs : 0),
  });
  const whole = sum(totals.total);
  const countedMs = whole.upMs + whole.downMs;
  const availability = availabilityOf(whole.upMs, countedMs, method);
  const failing = pieces.filter(({ state }) => state !== 'up').flatMap((piece) => outside(piece, excluded));
  const causes = new Map<string, number>();
  for (const piece of failing) for (const { cause, ms } of causesOf(piece, facts)) causes.set(cause, (causes.get(cause) ?? 0) + ms);
  if (unknownIsDown && whole.unknownMs > 0) causes.set('no measurements', whole.unknownMs);
  return {
    method: method.name,
    availability,
    ...whole,
    countedMs,
    downtimeByCause: [...causes]
      .map(([cause, ms]) => ({ cause, ms }))
      .sort((one, other) => other.ms - one.ms || (one.cause < other.cause ? -1 : 1)),
    incidents: incidents.filter((incident) => failing.some((piece) => piece.from < incident.to && piece.to > incident.from)).length,
    unlistedFailures: method.down.unconfirmed
      ? facts.unlisted.reduce((all, one) => (one.from < until && one.to > from ? all + one.failures : all), 0)
      : 0,
    ...against(objective, { span, availability, countedMs, downMs: whole.downMs }),
    days: totals.days.map((day) => {
      const of = sum(day);
      const date = new Date(day.at + span.offsetMinutes * 60_000).toISOString().slice(0, 10);
      return { date, availability: availabilityOf(of.upMs, of.upMs + of.downMs, method), ...of };
    }),
  };
}

const excludedBy = ({ maintenance }: AvailabilityMethod, { windows }: StatementFacts, span: TimeSpan): readonly TimeSpan[] =>
  maintenance === 'none' ? [] : maintenance === 'all' ? maintenanceWithin(windows, span) : announcedWithin(windows, span);

/** The known time as the method counts it. */
function judgedBy({ down }: AvailabilityMethod, { known, facts }: FiguresRequest): readonly KnownInterval[] {
  return known.flatMap((interval): readonly KnownInterval[] => {
    if (interval.state === 'down' || (interval.state === 'timeout' && down.timeouts)) return [interval];
    const up: KnownInterval = { ...interval, state: 'up' };
    if (interval.state === 'timeout' || !down.unconfirmed) return [up];
    const cuts = facts.unconfirmed.filter(({ from, to, cause }) => from < up.to && to > up.from && (down.timeouts || !isTimeout(cause)));
    const failed = cuts.map(({ from, to }) => ({ from: Math.max(from, up.from), to: Math.min(to, up.to) }));
    return [
      ...outside(up, failed).map((part): KnownInterval => ({ ...part, state: 'up' })),
      ...failed.map((part): KnownInterval => ({ ...part, state: 'down' })),
    ];
  });
}

const isTimeout = (cause: string): boolean => cause.endsWith('(timeout)');

/** The parts of a span that lie in none of the others, which are in order. */
function outside({ from, to }: TimeSpan, others: readonly TimeSpan[]): readonly TimeSpan[] {
  const parts: TimeSpan[] = [];
  let begin = from;
  for (const other of others) {
    if (other.to <= begin || other.from >= to) continue;
    if (other.from > begin) parts.push({ from: begin, to: other.from });
    begin = other.to;
  }
  if (begin < to) parts.push({ from: begin, to });
  return parts;
}

/** A piece of downtime, divided where its cause changes. */
function causesOf({ from, to }: TimeSpan, facts: StatementFacts): readonly { readonly cause: string; readonly ms: number }[] {
  const cuts = facts.causes.map(({ at }) => at).filter((at) => at > from && at < to);
  const edges = [from, ...cuts, to];
  return edges.slice(1).map((end, index) => {
    const begin = edges[index] ?? from;
    const unconfirmed = facts.unconfirmed.find((one) => one.from <= begin && one.to > begin);
    return { cause: causeAt(facts, begin)?.cause ?? unconfirmed?.cause ?? UNRECORDED, ms: end - begin };
  });
}

export const UNRECORDED = 'cause not recorded';

/** Percent, exact to the last decimal: the division is done in whole numbers. */
export function availabilityOf(upMs: number, countedMs: number, { rounding }: AvailabilityMethod): number | null {
  if (countedMs === 0) return null;
  const scaled = BigInt(upMs) * 100n * 10n ** BigInt(rounding.decimals);
  const half = rounding.mode === 'nearest' ? BigInt(countedMs) / 2n : 0n;
  return Number((scaled + half) / BigInt(countedMs)) / 10 ** rounding.decimals;
}

interface Outcome {
  readonly span: StatementSpan;
  readonly availability: number | null;
  readonly countedMs: number;
  readonly downMs: number;
}

/** Only a span that is a window of the objective can meet it; credits are due when it is over. */
function against(
  objective: StatedObjective | null,
  { span, availability, countedMs, downMs }: Outcome,
): Pick<MethodFigures, 'objectiveMet' | 'errorBudget' | 'credit'> {
  const target = objective?.target ?? null;
  const isOver = span.until === span.to;
  if (objective === null || target === null || !isWindow(span, target.window) || availability === null)
    return { objectiveMet: null, errorBudget: null, credit: null };
  // In ten-thousandths of a percent.
  const allowed = BigInt(Math.round((100 - target.percent) * 10_000));
  const ahead = Date.parse(span.to) - Date.parse(span.until);
  const allowedMs = Number((BigInt(countedMs + ahead) * allowed) / 1_000_000n);
  const tier = objective.credits.findLast(({ below }) => availability < below);
  return {
    objectiveMet: isOver ? availability >= target.percent : null,
    errorBudget: { allowedMs, usedMs: downMs, remainingMs: allowedMs - downMs },
    credit: isOver && objective.credits.length > 0 ? (tier?.percent ?? 0) : null,
  };
}

const MONTHS: Readonly<Record<ObjectiveWindow, number>> = { month: 1, quarter: 3, year: 12 };

function isWindow({ from, to, offsetMinutes }: StatementSpan, window: ObjectiveWindow): boolean {
  const shift = offsetMinutes * 60_000;
  const local = new Date(Date.parse(from) + shift);
  const months = MONTHS[window];
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth()];
  return (
    month % months === 0 && local.getTime() === Date.UTC(year, month, 1) && Date.parse(to) + shift === Date.UTC(year, month + months, 1)
  );
}
