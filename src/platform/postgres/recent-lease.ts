/** Longer than a restart of an instance or of the process of a package takes. */
export const STOPPED_SECONDS = 30;

/** SQL: whether an instance holds the lease that the expression names, or did so a moment ago. */
export const isRecentlyHeld = (name: string): string =>
  `EXISTS (SELECT FROM lease WHERE lease.name = ${name} AND heartbeat > clock_timestamp() - interval '${String(STOPPED_SECONDS)} seconds')`;
