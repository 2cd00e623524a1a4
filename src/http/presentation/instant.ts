/** `2023-03-23T12:53:20+00:00`: how every answer writes an instant (docs/spec/decisions.md#G8). */
export const inUtc = (instant: string | number): string => `${new Date(instant).toISOString().slice(0, 19)}+00:00`;

/** Whole seconds since the epoch. */
export const unixSeconds = (instant: string | number): number => Math.floor(new Date(instant).getTime() / 1000);
