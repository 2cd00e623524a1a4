/** Prometheus has days, weeks and years beside those of Go. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};
const PART = /^(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/;

/** `1h30m` as products in Go write durations; null for anything else. */
export function durationMilliseconds(text: string): number | null {
  if (/^[+-]?0$/.test(text)) return 0;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '') return null;
  let sum = 0;
  while (rest !== '') {
    const [taken = '', amount, unit = ''] = PART.exec(rest) ?? [];
    const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (taken === '' || size === undefined) return null;
    sum += Number(amount) * size;
    rest = rest.slice(taken.length);
  }
  return text.startsWith('-') ? -sum : sum;
}

/** Reads the text of a duration; null for anything else, also for a number without a unit. */
export function durationSeconds(given: unknown): number | null {
  const milliseconds = typeof given === 'string' ? durationMilliseconds(given.trim()) : null;
  return milliseconds === null ? null : milliseconds / 1_000;
}
