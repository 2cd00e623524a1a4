import { readSiteUrl } from '../../domain/project/site-url.ts';
import { type Period, periods } from '../../domain/project/settings.ts';
import { DomainError, InvalidInput } from '../../kernel/errors.ts';
import { readBoolean } from '../validation/switch.ts';

export class UrlMissing extends DomainError {
  readonly code = 'PROJECT_URL_MISSING';
}
export class UrlInvalid extends DomainError {
  readonly code = 'PROJECT_URL_INVALID';
}
export class UrlsDeprecated extends DomainError {
  readonly code = 'PARAMETER_URLS_DEPRECATED';
}
export class BlankDeprecated extends DomainError {
  readonly code = 'PARAMETER_BLANK_DEPRECATED';
}

export interface CreateProjectInput {
  readonly url: string;
  readonly host: string;
  readonly preset: boolean;
  /** Null: the plan's default. */
  readonly period: Period | null;
  readonly aiSuggestions?: unknown;
}

type Given = Readonly<Record<string, unknown>>;

const AI_SUGGESTIONS_BYTES = 16 * 1024;

/** Read by hand: each of the operation's errors has a status of its own, and old parameters are answered before anything else (docs/spec/decisions.md#P1 to #P3). */
export function readCreateProject(given: Given, form: 'body' | 'query'): CreateProjectInput {
  const has = (old: string): boolean => Object.keys(given).some((name) => name.replace(/\[.*$/, '') === old);
  if (has('urls')) throw new UrlsDeprecated('The parameter "urls" is deprecated. Use "url" instead.');
  if (has('blank')) throw new BlankDeprecated('The parameter "blank" is deprecated. Use "addPresetChecks" instead.');
  const url = given['url'];
  if (url === undefined || url === null || url === '') throw new UrlMissing('The mandatory parameter "url" is missing.');
  if (typeof url !== 'string') throw new UrlInvalid('The URL seems to be invalid: it is not text.');
  const read = readSiteUrl(url);
  if (read.kind === 'invalid') throw new UrlInvalid(`The URL seems to be invalid: ${read.reason}.`);
  const problems = [...unknownNames(given, form), ...problemsOf(given, form)];
  if (problems.length > 0) throw new InvalidInput(problems.join('; '));
  return {
    url: read.url,
    host: read.host,
    preset: readBoolean(chosen(given, 'addPresetChecks', form)) ?? false,
    period: toPeriod(chosen(given, 'checkInterval', form)) ?? null,
    ...(given['aiSuggestions'] === undefined ? {} : { aiSuggestions: given['aiSuggestions'] }),
  };
}

function unknownNames(given: Given, form: 'body' | 'query'): readonly string[] {
  const known = ['url', 'addPresetChecks', 'checkInterval', ...(form === 'body' ? ['aiSuggestions'] : [])];
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `${name.slice(0, 60)}: is not a known field`);
}

function problemsOf(given: Given, form: 'body' | 'query'): readonly string[] {
  const { aiSuggestions } = given;
  const [addPresetChecks, checkInterval] = [chosen(given, 'addPresetChecks', form), chosen(given, 'checkInterval', form)];
  return [
    ...(addPresetChecks !== undefined && readBoolean(addPresetChecks) === undefined ? ['addPresetChecks: must be true or false'] : []),
    ...(checkInterval !== undefined && toPeriod(checkInterval) === undefined
      ? [`checkInterval: must be one of ${periods.join(', ')}`]
      : []),
    ...(aiSuggestions !== undefined && Buffer.byteLength(JSON.stringify(aiSuggestions)) > AI_SUGGESTIONS_BYTES
      ? ['aiSuggestions: must be at most 16 KiB of JSON']
      : []),
  ];
}

/** What was not chosen may stand there as null, in a query as nothing. */
const chosen = (given: Given, name: string, form: 'body' | 'query'): unknown =>
  given[name] === null || (form === 'query' && given[name] === '') ? undefined : given[name];

/** `false` is accepted as a word and as a boolean (docs/spec/decisions.md#P5). */
const toPeriod = (value: unknown): Period | undefined => periods.find((period) => period === (value === false ? 'false' : value));
