import { shortOf } from './instants.ts';

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;

/** A sentence of the service with its instants in the zone of the reader: the service writes them in UTC for all. */
export function localInstants(text: string, now: number): string {
  return text.replace(INSTANT, (instant) => {
    const at = Date.parse(instant);
    return Number.isNaN(at) ? instant : shortOf(at, now);
  });
}

/** An instant as a field for date and time takes it: in the zone of the reader, without a zone. */
export function localField(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
