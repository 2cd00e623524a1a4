export const between = (random: () => number, from: number, to: number): number => from + random() * (to - from);

/** A random item, chosen by weight. */
export function choose<Item extends { readonly weight: number }>(random: () => number, items: readonly Item[]): Item | undefined {
  let left = random() * items.reduce((sum, { weight }) => sum + weight, 0);
  return items.find(({ weight }) => (left -= weight) < 0);
}
