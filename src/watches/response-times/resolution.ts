import { InvalidInput } from '../../kernel/errors.ts';
import { readSwitch } from '../../platform/http/spans/span-input.ts';
import { HOUR_MS } from '../../kernel/time.ts';

const WEEK = 7 * 24 * HOUR_MS;
/** Bounds the size of an answer with single samples. */
const MAX_RAW_MS = 31 * 24 * HOUR_MS;
/** Beyond it, aggregation would no longer bound the answer. */
const MAX_BUCKETS = 200_000;

/** The default (docs/spec/decisions.md#J12). */
export function defaultResolution(from: number, to: number): number | 'each' {
  if (to - from <= HOUR_MS) return 'each';
  return to - from <= WEEK ? 1_000_000 : 5_000_000;
}

/** `resolution=<seconds>`, or `raw`. */
export function readResolution(query: Readonly<Record<string, unknown>>, from: number, to: number): number | 'each' {
  const asked = query['resolution'];
  if (asked === 'raw' || readSwitch(query, 'raw')) {
    if (to - from > MAX_RAW_MS) throw new InvalidInput('raw: at most 31 days at a time');
    return 'each';
  }
  if (asked === undefined) return defaultResolution(from, to);
  if (typeof asked !== 'string' || !/^[1-9]\d{0,8}$/.test(asked))
    throw new InvalidInput('resolution: must be a whole number of seconds, or raw');
  const resolutionMs = Number(asked) * 1000;
  if (resolutionMs < 1_000_000 && (to - from) / resolutionMs > MAX_BUCKETS)
    throw new InvalidInput('resolution: too fine for so long a span');
  return resolutionMs;
}
