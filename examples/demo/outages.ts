import { noise } from '../../bench/support/site-samples.ts';
import { DAY, HOUR, MINUTE } from './happening.ts';

/** A time in which a site did not answer, or not as it should. */
export interface Outage {
  readonly from: number;
  readonly to: number;
  readonly outcome: 'down' | 'timeout';
  readonly reason: string;
  readonly httpStatus: number;
}

const KINDS = [
  { outcome: 'down', reason: 'the server answered with HTTP status 503', httpStatus: 503 },
  { outcome: 'down', reason: 'the server answered with HTTP status 502', httpStatus: 502 },
  { outcome: 'down', reason: 'connection refused', httpStatus: 0 },
  { outcome: 'timeout', reason: 'no complete answer within 3 seconds', httpStatus: 0 },
] as const;

export const unavailable = (from: number, milliseconds: number): Outage => ({ from, to: from + milliseconds, ...KINDS[0] });

/** Outages at random, the same in every run: most last minutes, a few an hour. */
export function randomOutages(from: number, to: number, perYear: number, seed: number): readonly Outage[] {
  const random = noise(seed);
  const outages: Outage[] = [];
  const mean = (365 * DAY) / perYear;
  for (let at = from + HOUR + random() * mean; at < to - DAY; at += mean * (0.3 + 1.4 * random())) {
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? KINDS[0];
    const long = random() < 0.15 ? HOUR : 0;
    outages.push({ from: at, to: at + random() * random() * 25 * MINUTE + random() * long + 20_000, ...kind });
  }
  return outages;
}
