import type { Schemas } from '../../client.ts';
import { capitalized, isRole, ROLES } from '../parts/words.ts';
import { operatorWords } from '../editor/rule-words.ts';
import { fullOf, localInstants } from '../time/instants.ts';

export type ShownChange = Schemas['Difference'];

/** Pages of a comparison, each about the time after the one before, as one about the whole time: what changed back is no difference. */
export function mergedChanges(pages: readonly (readonly ShownChange[])[]): readonly ShownChange[] {
  const byPath = new Map<string, ShownChange>();
  for (const change of pages.flat()) {
    const before = byPath.get(change.path);
    byPath.set(change.path, before === undefined ? change : { ...change, from: before.from, events: [...before.events, ...change.events] });
  }
  return [...byPath.values()].filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

/** Names of checks, groups, members and service accounts by the path of a comparison, such as `tests/64f0…`. */
export type NamesByPath = ReadonlyMap<string, string>;

/** `tests/64f0….status.lastRun` as `Check Homepage: last run`. */
export function thingOf(path: string, names: NamesByPath): string {
  const [whole = path, fields = ''] = /^([^.]+)\.(.+)$/.exec(path)?.slice(1) ?? [];
  const name = whole === 'project' ? '' : (names.get(whole) ?? whole);
  const field = fields
    .replace(/^status\./, '')
    .split('.')
    .map(spoken)
    .join(', ');
  const words = [name, field].filter((part) => part !== '').join(': ');
  return words === whole ? words : capitalized(words);
}

/** Names that only programs know. */
const WORDS: Readonly<Record<string, string>> = {
  url: 'address',
  sslExpiration: 'end of the certificate',
  sslStatus: 'certificate',
  sslAlertPeriod: 'days before the end of the certificate from which it warns',
  sslError: 'what is wrong with the certificate',
  uptimeEnabled: 'seconds between probes',
  uptimeUrl: 'address of the probes',
  httpsRedirectStatus: 'redirect to https',
  httpsRedirectFinalUrl: 'where the redirect to https ends',
  isWordPress: 'WordPress',
  isPayer: 'owner',
  areaId: 'group',
};

/** `lastRun` as `last run`. */
const spoken = (name: string): string => WORDS[name] ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const LONGEST = 300;

/** A value of a comparison as text; a dash where there was none. `path`: of what it is the value. */
export function shownValue(value: unknown, path: string, now: number): string {
  if (value === undefined || value === null) return '–';
  const text = textOf(value, path, now);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function textOf(value: unknown, path: string, now: number): string {
  if (path.endsWith('.role') && isRole(value)) return ROLES[value];
  if (typeof value === 'string') return localInstants(value, now);
  // Times of checks are unix seconds.
  if (typeof value === 'number' && /\.last(Run|Change)$/.test(path)) return value === 0 ? 'never' : fullOf(value * 1_000);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.length > 0 && value.every(isRule))
    return value.map(({ type, op, val }) => `${type} ${operatorWords(op)} ${val}`).join('\n');
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.length === 0 ? 'none' : value.join('\n');
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value)
      .map(([name, part]) => `${spoken(name)}: ${part === null || part === undefined ? '–' : textOf(part, `${path}.${name}`, now)}`)
      .join('\n');
  return JSON.stringify(value);
}

interface RuleText {
  readonly type: string;
  readonly op: string;
  readonly val: string;
}

const isRule = (value: unknown): value is RuleText => typeof value === 'object' && value !== null && 'op' in value && 'val' in value;
