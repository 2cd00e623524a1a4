import { type Period, periods, type UptimePeriod, uptimePeriods } from '../projects/project.settings.ts';
import { secondsBetweenStarts } from '../projects/areas/area.settings.ts';

/** The shortest period of a check; also the longest interval of a source that becomes an uptime probe. */
export const SHORTEST_PERIOD_SECONDS = 300;

const PERIODS = periods.flatMap((period) => {
  const seconds = secondsBetweenStarts('true', period);
  return seconds === null ? [] : [{ period, seconds }];
});
const UPTIME = uptimePeriods.filter((period) => period !== 'false').toSorted((one, other) => Number(one) - Number(other));
const LONGEST_UPTIME: UptimePeriod = '60';

const nearest = <Choice>(choices: readonly Choice[], distance: (choice: Choice) => number): Choice =>
  choices.reduce((best, choice) => (distance(choice) < distance(best) ? choice : best));

/** By ratio: 2 hours are nearer to 1 hour than to 8. */
export const nearestPeriod = (seconds: number): { readonly period: Period; readonly seconds: number } =>
  nearest(PERIODS, (choice) => Math.abs(Math.log(choice.seconds / seconds)));

/** The next longer one, because a plan may forbid to probe more often than before; else the longest. */
export const uptimePeriodFor = (seconds: number): UptimePeriod => UPTIME.find((period) => Number(period) >= seconds) ?? LONGEST_UPTIME;

/** Such as `20 s`, `5 minutes`, `1.5 hours`. */
export function spelledSeconds(seconds: number): string {
  const [unit, size] =
    seconds < 120 ? ['s', 1] : seconds < 7_200 ? ['minutes', 60] : seconds < 172_800 ? ['hours', 3_600] : (['days', 86_400] as const);
  return `${String(Math.round((seconds / size) * 10) / 10)} ${unit}`;
}
