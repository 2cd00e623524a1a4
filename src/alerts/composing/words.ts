/** `21 Nov 2026, 10:05:12 (Europe/Prague)`. An unknown time zone reads as UTC. */
export function localTime(instant: string, zone: string): string {
  const options = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  } as const;
  try {
    return `${new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(new Date(instant))} (${zone})`;
  } catch {
    return `${new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(new Date(instant))} (UTC)`;
  }
}

const UNITS = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest units: `2 days 3 h`, `5 min 20 s`. */
export function duration(from: string, to: string): string {
  let left = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${String(count)} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? 'less than a second' : parts.join(' ');
}

/**
 * Makes untrusted text safe inside a line: removes line ends and control characters, which could start a second header or sentence, and marks
 * that reverse the direction of the text around them.
 */
export function oneLine(text: string, longest: number): string {
  const line = text
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, '')
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const letters = Array.from(line);
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : line;
}
