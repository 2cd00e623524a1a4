import type { SimReceiver, Received } from '../sim-receiver.ts';
import { DAY, HOUR, MINUTE, TAKEN_MS } from '../time-limits.ts';
import { addressOf, type SimulatedAccount } from '../simulated-accounts.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import { deadline, during, type Interval } from './interval.ts';
import type { Figures } from './uptime-model.ts';

/** How the subject of a security notice begins. */
const NOTICE = 'Watchledger: ';

export interface ReportsKnown {
  readonly people: readonly SimulatedAccount[];
  readonly receiver: SimReceiver;
  readonly faultPeriods: FaultPeriods;
  readonly from: number;
  readonly end: number;
  /** The figures of the probed site for a period, from the model. */
  readonly uptimeOf: (span: Interval) => Figures;
}

const LONGEST_PAUSE_MS = 20 * MINUTE;
const SENT_MS = 15 * MINUTE;

/** One report per account and week, on Monday at eight local time, about the week before; none after erasure. Returns how many arrived. */
export function reportsSent(known: ReportsKnown, broken: (what: string) => void): number {
  const mails = [...known.receiver.mails.values()].filter(({ subject }) => !subject.startsWith(NOTICE));
  const reports = mails.filter(({ subject }) => subject.startsWith('Weekly report'));
  if (reports.length < mails.length) broken('a mail other than a report was received');
  for (const person of known.people) {
    const own = reports.filter(({ to }) => to === addressOf(person));
    const due = mondaysAtEight(person.zone, known.from, known.end);
    for (const report of own) {
      if (report.at > person.erasedAt) broken(`${addressOf(person)} got a report after erasure`);
      if (!due.some((at) => report.at >= at - known.faultPeriods.blur(at - HOUR, at) && report.at < at + 6 * DAY))
        broken(`${addressOf(person)} got a report at ${new Date(report.at).toISOString()}`);
    }
    for (const at of due) onTime(person, at, own, known, broken);
  }
  return reports.length;
}

function onTime(
  person: SimulatedAccount,
  due: number,
  own: readonly Received[],
  { faultPeriods, end, uptimeOf }: ReportsKnown,
  broken: (what: string) => void,
): void {
  const latest = deadline(
    due,
    SENT_MS,
    (until) =>
      during(faultPeriods.silences, due - MINUTE, until, LONGEST_PAUSE_MS) +
      during(faultPeriods.absences, due - TAKEN_MS, until, TAKEN_MS) +
      faultPeriods.blur(due, until),
  );
  const early = faultPeriods.blur(due - HOUR, due);
  const found = own.filter(({ at }) => at >= due - early && at < due + 6 * DAY);
  const name = `the report to ${addressOf(person)} of ${new Date(due).toISOString()}`;
  if (found.length > 1) broken(`${name} came as ${String(found.length)} mails`);
  const [report] = found;
  if (latest < Math.min(end, person.erasedAt) && (report === undefined || report.at > latest))
    broken(`${name} was not there by ${new Date(latest).toISOString()}`);
  if (report !== undefined) sameUptime(name, report, uptimeOf(weekBefore(person.zone, due)), broken);
}

/** To the hundredth of a percent that a report shows. */
function sameUptime(name: string, { text }: Received, { up, down, timeout }: Figures, broken: (what: string) => void): void {
  const said = [...text.matchAll(/Uptime: (?:over |under )?([0-9.]+) %/g)].map(([, percent]) => Number(percent));
  const is = (up / (up + down + timeout)) * 100;
  if (said.length !== 1 || Math.abs((said[0] ?? NaN) - is) > 0.0101)
    broken(`${name} says an uptime of ${said.join(' and ')} %, it was ${String(is)}`);
}

/** Day of the week and time, as `Mon 08:00`. */
function clockOf(zone: string): (at: number) => string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => clock.format(at).replace(',', '');
}

/** Every quarter of an hour is tested, independent of daylight saving rules. */
function mondaysAtEight(zone: string, from: number, end: number): readonly number[] {
  const shown = clockOf(zone);
  const found: number[] = [];
  for (let at = from; at < end; at += 15 * MINUTE) if (shown(at) === 'Mon 08:00') found.push(at);
  return found;
}

/** From midnight to midnight by the same clocks, wherever these were changed in between. */
function weekBefore(zone: string, due: number): Interval {
  const shown = clockOf(zone);
  const midnights: number[] = [];
  for (let at = due; midnights.length < 2; at -= 15 * MINUTE) if (shown(at) === 'Mon 00:00') midnights.push(at);
  return { from: midnights[1] ?? due, to: midnights[0] ?? due };
}
