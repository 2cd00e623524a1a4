/** `1 site`, `2 sites`. */
export const counted = (count: number, what: string): string => `${String(count)} ${count === 1 ? what : `${what}s`}`;
