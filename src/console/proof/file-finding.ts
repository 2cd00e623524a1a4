/** What the verification of a file found. */
export type FileFinding =
  | { readonly kind: 'holds'; readonly steps: readonly string[]; readonly keys: readonly string[] }
  | { readonly kind: 'differs'; readonly reason: string };

export const holds = (keys: readonly string[], steps: readonly string[]): FileFinding => ({ kind: 'holds', keys, steps });
export const differs = (reason: string): FileFinding => ({ kind: 'differs', reason });
