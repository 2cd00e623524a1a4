/** What the addresses of a page begin with; empty on a host of its own. */
export const baseOf = (slug: string): string => `/status/${slug}`;

/** The address of the page itself. */
export const homeOf = (base: string): string => (base === '' ? '/' : base);
