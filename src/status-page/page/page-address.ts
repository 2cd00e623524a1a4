/** What the addresses of a page begin with; empty on a host of its own. */
export const statusPathOf = (slug: string): string => `/status/${slug}`;

/** The address of the page itself. */
export const homeOf = (base: string): string => (base === '' ? '/' : base);

interface Addressed {
  readonly slug: string;
  readonly hosts: readonly string[];
}

/** The full address of a page: on the first of its hosts, else on that of the service. */
export const pageUrlOf = ({ slug, hosts: [host] }: Addressed, origin: string): string =>
  host === undefined ? `${origin}${statusPathOf(slug)}` : `${new URL(origin).protocol}//${host}`;

/** Before the paths of links in messages: they work where readers of the page are, and whatever becomes of its slug. */
export const linkBaseOf = ({ slug, hosts }: Addressed, origin: string): string =>
  hosts.length === 0 ? `${origin}/status/-` : `${pageUrlOf({ slug, hosts }, origin)}/-`;
