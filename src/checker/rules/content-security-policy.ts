import type { Page } from '../page/page.ts';
import { headerValues, type StoredAnswer } from './stored-answer.ts';

/** The sources or other words of each directive of one policy. */
export type Policy = ReadonlyMap<string, readonly string[]>;

const MAX_POLICIES = 50;
/** Browsers ignore these in a meta tag. */
const NOT_IN_META: ReadonlySet<string> = new Set(['report-uri', 'frame-ancestors', 'sandbox']);

/** The first of several directives with one name counts. */
function parsed(text: string, isMeta: boolean): Policy {
  const policy = new Map<string, readonly string[]>();
  for (const part of text.split(';')) {
    const [name = '', ...words] = part.split(/[\t\n\f\r ]+/).filter(Boolean);
    const directive = name.toLowerCase();
    if (directive === '' || policy.has(directive) || (isMeta && NOT_IN_META.has(directive))) continue;
    policy.set(directive, words);
  }
  return policy;
}

/** The policies that a browser enforces, all of them: of every header, of which each may list several, and of meta tags in the head. */
export function policiesOf(answer: StoredAnswer, page: Page): readonly Policy[] {
  const headers = headerValues(answer, 'content-security-policy').flatMap((header) => header.split(','));
  const policies = [...headers.map((text) => parsed(text, false)), ...page.elements.policies.map((text) => parsed(text, true))];
  return policies.filter(({ size }) => size > 0).slice(0, MAX_POLICIES);
}

/** What a directive falls back to where a policy lacks it, in order (CSP 3, section 6.8.3). */
const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'media-src', 'object-src', 'manifest-src'].map((name) => [
      name,
      ['default-src'],
    ]),
  ),
  'script-src-elem': ['script-src', 'default-src'],
  'script-src-attr': ['script-src', 'default-src'],
  'style-src-elem': ['style-src', 'default-src'],
  'style-src-attr': ['style-src', 'default-src'],
  'worker-src': ['child-src', 'script-src', 'default-src'],
  'frame-src': ['child-src', 'default-src'],
  'child-src': ['default-src'],
};
const SOURCE_LISTS: ReadonlySet<string> = new Set([...Object.keys(FALLBACKS), 'default-src', 'base-uri', 'form-action', 'frame-ancestors']);

const governing = (policy: Policy, directive: string): readonly string[] | undefined =>
  [directive, ...(FALLBACKS[directive] ?? [])].map((name) => policy.get(name)).find((words) => words !== undefined);

/** The first policy in a meta tag, among those of the page, that restricts a directive; -1 where none does. */
export const governingMetaTag = (page: Page, directive: string): number =>
  page.elements.policies.findIndex((text) => governing(parsed(text, true), directive) !== undefined);

/** Whether what `source` allows is also allowed by `other`, as far as the two expressions say. */
function isCovered(source: string, other: string): boolean {
  if (source.toLowerCase() === other.toLowerCase()) return true;
  if (source.startsWith("'")) return source.toLowerCase() === "'self'" && other === '*';
  if (other === '*') return !/^[a-z][a-z0-9+.-]*:$/i.test(source) || /^(?:https?|wss?):$/i.test(source);
  if (/^[a-z][a-z0-9+.-]*:$/i.test(other)) return source.toLowerCase().startsWith(`${other.toLowerCase()}//`);
  const [scheme = '', host = ''] = splitHost(other);
  const [ownScheme = '', own = ''] = splitHost(source);
  if (scheme !== '' && scheme !== ownScheme) return false;
  return own === host || own.startsWith(`${host}/`) || (host.startsWith('*.') && (own.split('/', 1)[0] ?? '').endsWith(host.slice(1)));
}

/** Scheme and host with port and path of a source expression. */
const splitHost = (source: string): string[] => {
  const at = source.indexOf('://');
  return at < 0 ? ['', source.toLowerCase()] : [source.slice(0, at).toLowerCase(), source.slice(at + 3).toLowerCase()];
};

const NONE = "'none'";

/** The sources of any list that every list allows. Lists are compared all at once: two of them may share nothing that is written, and yet allow what a third one writes. */
function intersection(lists: readonly (readonly string[])[]): readonly string[] {
  const written = lists.map((sources) => sources.filter((source) => source.toLowerCase() !== NONE));
  const isAllowed = (source: string): boolean => written.every((sources) => sources.some((wider) => isCovered(source, wider)));
  return [...new Set(written.flat())].filter(isAllowed);
}

/**
 * What the policies together say of a directive: of source lists and of `sandbox` what all of them allow, otherwise what each says. Empty where none
 * restricts it.
 */
export function effective(policies: readonly Policy[], directive: string): readonly string[] {
  const lists = policies.flatMap((policy) => {
    const words = governing(policy, directive);
    return words === undefined ? [] : [words];
  });
  const [first, ...others] = lists;
  if (first === undefined) return [];
  if (others.length === 0) return [first.join(' ')];
  if (directive === 'sandbox') return [first.filter((word) => others.every((words) => words.includes(word))).join(' ')];
  if (!SOURCE_LISTS.has(directive)) return [...new Set(lists.map((words) => words.join(' ')))];
  const shared = intersection(lists);
  return [shared.length === 0 ? NONE : shared.join(' ')];
}
