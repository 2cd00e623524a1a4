import { isRole, ROLES } from '../parts/roles.ts';
import { operatorWords } from '../editor/rule-words.ts';
import { fullOf } from '../time/instants.ts';
import { localInstants } from '../time/local-instants.ts';
import { spoken } from './changed-things.ts';

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
