const LONGEST = 3;

/**
 * The parts of a text of one, two and three characters (n-grams), as numbers: an inverted index over them finds the rows that may contain a
 * searched text. Two parts may share a number, so what is found has to be compared with the text itself.
 */
export function gramsOf(text: string): readonly number[] {
  const found = new Set<number>();
  for (let length = 1; length <= LONGEST; length++) addParts(text, length, found);
  return [...found];
}

/** The parts that a row must have to contain this text. */
export function gramsIn(searched: string): readonly number[] {
  const found = new Set<number>();
  addParts(searched, Math.min(LONGEST, searched.length), found);
  return [...found];
}

function addParts(text: string, length: number, found: Set<number>): void {
  for (let start = 0; length > 0 && start + length <= text.length; start++) found.add(hashOf(text, start, length));
}

/** FNV-1a over UTF-16 code units, in 32 bits. */
function hashOf(text: string, start: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < start + length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
