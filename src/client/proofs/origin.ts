/**
 * A log must never sign two roots that contradict each other, and no witness would cosign the second. So a log that lost sealed events continues under another
 * origin: the first one, then the same with `/2`, `/3`. The generation is the number of losses before it.
 */
export const originAt = (first: string, generation: number): string => (generation === 0 ? first : `${first}/${String(generation + 1)}`);

/** Null for the origin of another log. */
export function generationOf(first: string, origin: string): number | null {
  if (origin === first) return 0;
  const number = origin.startsWith(`${first}/`) ? origin.slice(first.length + 1) : '';
  return /^([2-9]|[1-9]\d{1,8})$/.test(number) ? Number(number) - 1 : null;
}
