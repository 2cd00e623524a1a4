import { type Period, periods, type UptimePeriod, uptimePeriods } from '../../domain/project/settings.ts';
import { secondsBetweenStarts } from '../../domain/area/settings.ts';

/** The shortest period of a check; also the longest interval of a source that becomes an uptime probe. */
export const SHORTEST_PERIOD_SECONDS = 300;

const PERIODS = periods.flatMap((period) => {
  const seconds = secondsBetweenStarts('true', period);
  return seconds === null ? [] : [{ period, seconds }];
});
const UPTIME = uptimePeriods.filter((period) => period !== 'false').map((period) => ({ period, seconds: Number(period) }));

const nearest = <Choice>(choices: readonly Choice[], distance: (choice: Choice) => number): Choice =>
  choices.reduce((best, choice) => (distance(choice) < distance(best) ? choice : best));

/** By ratio: 2 hours are nearer to 1 hour than to 8. */
export const nearestPeriod = (seconds: number): { readonly period: Period; readonly seconds: number } =>
  nearest(PERIODS, (choice) => Math.abs(Math.log(choice.seconds / seconds)));

export const nearestUptimePeriod = (seconds: number): { readonly period: UptimePeriod; readonly seconds: number } =>
  nearest(UPTIME, (choice) => Math.abs(choice.seconds - seconds));

/** Such as `20 s`, `5 minutes`, `1.5 hours`. */
export function spelledSeconds(seconds: number): string {
  const [unit, size] =
    seconds < 120 ? ['s', 1] : seconds < 7_200 ? ['minutes', 60] : seconds < 172_800 ? ['hours', 3_600] : (['days', 86_400] as const);
  return `${String(Math.round((seconds / size) * 10) / 10)} ${unit}`;
}
