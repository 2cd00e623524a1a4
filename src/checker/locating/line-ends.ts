import type { Stretch } from './source-map.ts';

/** Translates places in a page with plain line ends into places in the page as it was sent. */
export function placesAsSent(html: string): (place: Stretch) => Stretch {
  /** Where the line feeds that were two characters stand in the plain page, ascending. */
  const joined: number[] = [];
  for (let at = html.indexOf('\r\n'); at >= 0; at = html.indexOf('\r\n', at + 2)) joined.push(at - joined.length);
  const sent = (index: number): number => {
    let [low, high] = [0, joined.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((joined[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return index + low;
  };
  return joined.length === 0 ? (place) => place : ({ from, to }) => ({ from: sent(from), to: sent(to) });
}
