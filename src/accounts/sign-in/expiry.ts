import { readInstant } from '../../kernel/instants.ts';

/** Milliseconds since the epoch, or the problem as a sentence. */
export type Expiry = { readonly at: number } | { readonly problem: string };

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const TERM = /^\+?\s*(\d{1,9})\s*(second|sec|minute|min|hour|day|week|month|year)s?$/i;
const SPLIT = /(?<=[a-z])\s*(?=[+\d])|(?<=[a-z])\s+(?=\+)/i;
const WORDING = 'must be a relative time such as "+1 hour" or "+1 day 2 hours", or an ISO date-time, within one year from now';

const MILLISECONDS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** `+1 hour`, `+1 day 2 hours`, or an instant; in the future and within one year (docs/spec/decisions.md#A1). */
export function readExpiry(raw: string, now: number): Expiry {
  const text = raw.trim();
  const at = text.startsWith('+') ? readRelative(text, now) : readAbsolute(text);
  if (at === null) return { problem: WORDING };
  if (at <= now) return { problem: 'must be in the future' };
  return at > addMonths(now, 12) ? { problem: 'must be at most one year from now' } : { at };
}

function readAbsolute(text: string): number | null {
  const read = readInstant(text);
  return read.kind === 'instant' ? read.at : null;
}

function readRelative(text: string, now: number): number | null {
  let at = now;
  for (const part of text.split(SPLIT)) {
    const term = TERM.exec(part.trim());
    if (term?.[1] === undefined || term[2] === undefined) return null;
    at = add(at, Number(term[1]), unitOf(term[2]));
  }
  return at;
}

function unitOf(word: string): Unit {
  const lower = word.toLowerCase();
  if (lower === 'sec') return 'second';
  return lower === 'min' ? 'minute' : (lower as Unit);
}

function add(at: number, amount: number, unit: Unit): number {
  if (unit === 'month') return addMonths(at, amount);
  return unit === 'year' ? addMonths(at, 12 * amount) : at + amount * MILLISECONDS[unit];
}

/** The same day of a later month, at most its last day. */
function addMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}
