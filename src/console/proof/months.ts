const MOST = 12;

/** The UTC months from the creation of a project on, the latest first. `created`: as the API writes it. */
export function monthsSince(created: string, now: number): readonly string[] {
  const first = new Date(created).toISOString().slice(0, 7);
  const { year, month } = { year: new Date(now).getUTCFullYear(), month: new Date(now).getUTCMonth() };
  const months = Array.from({ length: MOST }, (_, back) => new Date(Date.UTC(year, month - back, 1)).toISOString().slice(0, 7));
  return months.filter((name) => name >= first);
}

const words = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-11` as `November 2026`. */
export const monthText = (month: string): string => words.format(Date.parse(`${month}-01T00:00:00Z`));
