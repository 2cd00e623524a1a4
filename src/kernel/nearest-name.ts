/** The known name that a misspelt one most likely means: at most two edits (Levenshtein distance) away, or one for short names; null when none is. */
export function nearestName(given: string, known: Iterable<string>): string | null {
  if (given.length > 60) return null;
  let nearest: string | null = null;
  let least = given.length < 4 ? 2 : 3;
  for (const name of known) {
    if (Math.abs(name.length - given.length) >= least) continue;
    const edits = editsBetween(given.toLowerCase(), name.toLowerCase());
    if (edits < least) [nearest, least] = [name, edits];
  }
  return nearest;
}

function editsBetween(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[right.length] ?? 0;
}
