import { randomInt } from 'node:crypto';

/** How much work a JSON text makes for its parser and for everything that walks its value. */
export interface JsonSize {
  readonly depth: number;
  /** Members of objects and elements of lists, at any level. */
  readonly values: number;
  /** Different names of members, as they are written; counted up to one more than the most allowed. */
  readonly names: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,:[]{}');

/** Of the hash of a name, which counts as known when another one has the same hash; random, so that no sender can look for such names. */
const FACTOR = 2 * randomInt(2 ** 30) + 1;

/**
 * Measured in one pass over the bytes, before parsing: parsing 1 MiB of unknown names takes 200 ms, this 2 ms. A list or object has one value more
 * than commas, so `values` is exact but for empty ones, which count as one. Text that is not JSON gets some size, and is refused by the parser.
 */
export function measureJson(json: Uint8Array, mostNames: number): JsonSize {
  let [depth, deepest, values, hash] = [0, 0, 0, 0];
  const names = new Set<number>();
  for (let at = 0; at < json.length; at++)
    switch (json[at]) {
      case QUOTE:
        hash = 0;
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
          hash = (Math.imul(hash, FACTOR) + (json[at] ?? 0)) | 0;
        }
        break;
      case COLON:
        if (names.size <= mostNames) names.add(hash);
        break;
      case COMMA:
        values++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++;
        depth++;
        if (depth > deepest) deepest = depth;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case undefined:
    }
  return { depth: deepest, values, names: names.size };
}
