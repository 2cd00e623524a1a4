import type { StatusPageLanguage } from '../status-page.settings.ts';

/** What the addresses of a page begin with; empty on a host of its own. */
export const statusPathOf = (slug: string): string => `/status/${slug}`;

/** The first whole second at which the page shows an event of this instant: addresses have whole seconds. */
export const shownFrom = (at: number): number => Math.ceil(at / 1_000) * 1_000;

export const asInstant = (at: number): string => `${new Date(shownFrom(at)).toISOString().slice(0, 19)}Z`;

/** Addresses of a page and of what belongs to it. */
export class PageLinks {
  /** `chosen`: the language that the reader asked for by `?lang=`, which the links keep; null: the browser says it. */
  constructor(
    readonly base: string,
    readonly chosen: StatusPageLanguage | null = null,
  ) {}

  /** The page itself, as of an instant. */
  home(asOf: string | null = null): string {
    return this.homeIn(this.chosen, asOf);
  }

  homeIn(language: StatusPageLanguage | null, asOf: string | null = null): string {
    const query = [...(asOf === null ? [] : [`asOf=${asOf}`]), ...(language === null ? [] : [`lang=${language}`])];
    return `${this.base === '' ? '/' : this.base}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  }

  /** Another page that belongs to it. */
  to(path: string): string {
    return `${this.base}/${path}${this.chosen === null ? '' : `?lang=${this.chosen}`}`;
  }

  /** The address at which members sign in: the console leads back to the page, which is not on a host of its own. */
  signIn(): string {
    return this.base === '' ? '/console' : `/console?returnTo=${encodeURIComponent(this.home())}`;
  }

  /** A form in a format for programs, which has no language of a reader. */
  file(path: string): string {
    return `${this.base}/${path}`;
  }
}

/** The reader that a page is rendered for. */
export interface PageReader {
  readonly language: StatusPageLanguage;
  readonly links: PageLinks;
}

interface Addressed {
  readonly slug: string;
  readonly hosts: readonly string[];
}

/** The full address of a page: on the first of its hosts, else on that of the service. */
export const pageUrlOf = ({ slug, hosts: [host] }: Addressed, origin: string): string =>
  host === undefined ? `${origin}${statusPathOf(slug)}` : `${new URL(origin).protocol}//${host}`;

/** The beginning of links in messages: they work on the host of the page, and after a change of its slug. */
export const linkBaseOf = ({ slug, hosts }: Addressed, origin: string): string =>
  hosts.length === 0 ? `${origin}/status/-` : `${pageUrlOf({ slug, hosts }, origin)}/-`;
