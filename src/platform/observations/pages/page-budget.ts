const MB = 2 ** 20;
const LEAST_MB = 1_024;
/** About a day of the pages of five checks, which are kept hourly. */
const MB_PER_PROJECT = 2;

/** The part of the budget for heads: they are small, but those of pages that never change would outgrow the pages without a budget of their own. */
export const HEADS_SHARE = 0.15;
/** The part of the budget for the requests and answers behind events. */
export const EXCHANGES_SHARE = 0.1;
const PAGES_SHARE = 1 - HEADS_SHARE - EXCHANGES_SHARE;

/** The budget of what is kept as evidence: as configured, or with the number of projects, so that the share of one does not shrink when others are added. */
export const keptBytesOf = (configuredMb: number | undefined, projects: number): number =>
  (configuredMb ?? Math.max(LEAST_MB, projects * MB_PER_PROJECT)) * MB;

/** For the bodies alone. */
export const pageBytesOf = (keptBytes: number): number => keptBytes * PAGES_SHARE;
