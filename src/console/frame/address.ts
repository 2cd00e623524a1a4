import { computed, signal } from '@preact/signals';
import { serverNow } from '../time/server-clock.ts';

const ROOT = '/console';

export interface Address {
  /** Below `/console`, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const read = (): Address => ({
  path: location.pathname.slice(ROOT.length).split('/').filter(Boolean).map(decoded),
  query: new URLSearchParams(location.search),
});

/** An address that a person typed may be no valid encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const current = signal(read());
addEventListener('popstate', () => (current.value = read()));

export const address = computed(() => current.value);

/** The instant that the whole console shows; null: now, as always on the wall. */
export const shownInstant = computed(() => {
  const { query } = current.value;
  const given = query.get('view') === 'wall' ? null : query.get('at');
  const at = given === null ? NaN : Date.parse(given);
  return Number.isNaN(at) || at >= serverNow() ? null : at;
});

/** Kept in links: the console stays in the past that a person chose, and on the wall. */
const KEPT = ['at', 'view'] as const;

/** The address of a page of the console. `at`: another instant; null: now. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string | null>> = {}): string {
  const parameters = new URLSearchParams();
  for (const name of KEPT) {
    const value = current.value.query.get(name);
    if (value !== null) parameters.set(name, value);
  }
  for (const [name, value] of Object.entries(query)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${[ROOT, ...path.map(encodeURIComponent)].join('/')}${search}`;
}

export function goTo(href: string, { replace = false } = {}): void {
  const isSamePath = new URL(href, location.href).pathname === location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  current.value = read();
  if (!isSamePath) scrollTo(0, 0);
}

/** The same page as of another instant; null: now. */
export function showInstant(at: number | null, { replace = false } = {}): void {
  const query = Object.fromEntries(current.value.query);
  goTo(hrefOf(current.value.path, { ...query, at: at === null ? null : new Date(at).toISOString() }), { replace });
}

/** The same page with another value in its query; null: without. */
export function setQuery(name: string, value: string | null): void {
  const query = Object.fromEntries(current.value.query);
  goTo(hrefOf(current.value.path, { ...query, [name]: value }), { replace: true });
}
