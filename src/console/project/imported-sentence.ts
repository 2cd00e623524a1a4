import type { Schemas } from '../../client.ts';
import { DAY_LENGTH } from '../time/instants.ts';

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const utcDayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Null when nothing was measured. */
export function importedSentence({ origin, from, up, down }: Schemas['ImportedUptime']): string | null {
  const [ups, probes] = [sumOf(up), sumOf(up) + sumOf(down)];
  if (origin === null || from === null || probes === 0) return null;
  const last = utcDayOf(Date.parse(from) + (up.length - 1) * DAY_LENGTH);
  const share = ((ups / probes) * 100).toFixed(3);
  return `${origin.replace('imported:', '')} measured ${share} % in ${probes.toLocaleString('en')} probes, ${from} to ${last}; no other figure contains it`;
}
