import { readSiteUrl } from '../kernel/site-url.ts';
import { type Period, periods, type ProjectSettings } from './project.settings.ts';
import { DomainError, InvalidInput, problemOf } from '../kernel/errors.ts';
import type { CheckDto } from './checks/check.api.ts';
import { anything, constant, eitherOf, text } from '../platform/http/description/schema.ts';
import { describedAs, oneOf, readLater, yesOrNo } from '../platform/http/validation/fields.ts';
import { Input, type InputField, Optional, OptionalOrNull, readInput, Required } from '../platform/http/validation/input.ts';
import { type FirstAreaDto, firstAreas, firstTests } from './first-checks.dto.ts';
import type { FirstChecksInput } from './first-checks-input.ts';
import { settingsOf, WritableSettings } from './writable-settings.dto.ts';

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
  /** Null for the plan's default. */
  readonly period: Period | null;
  /** Those that the body sets; the others are initial. */
  readonly settings: Partial<ProjectSettings>;
  readonly aiSuggestions?: unknown;
  readonly checks: FirstChecksInput | null;
}

type Given = Readonly<Record<string, unknown>>;

const AI_SUGGESTIONS_BYTES = 16 * 1024;
const url = readLater(text('URL to be checked', { maxLength: 2048, examples: ['https://example.com'] }));
const addPresetChecks = yesOrNo('`true`: with preset checks; `false`: empty', { default: false });
/** `false` is accepted as a word and, in a body, as a boolean (docs/spec/decisions.md#P5). */
const checkInterval: InputField<Period> = {
  ...oneOf('Period; `false`: started by hand. Missing: the default of the plan', periods),
  read: (given) => (given === false ? 'false' : given),
};

export class CreateProjectQuery {
  /** Read before all others, because its refusals have statuses of their own. */
  @Required(url) url?: unknown;
  @OptionalOrNull(addPresetChecks) addPresetChecks?: boolean | null;
  @OptionalOrNull(checkInterval) checkInterval?: Period | null;
}

/** The url, the writable fields of a Project, and what only a creation knows (docs/spec/decisions.md#P14). */
@Input('NewProject', 'A site to monitor')
export class CreateProjectDto extends WritableSettings {
  @Required(url) url?: unknown;
  @OptionalOrNull(addPresetChecks) addPresetChecks?: boolean | null;
  @OptionalOrNull(describedAs(checkInterval, eitherOf('Period', checkInterval.schema, constant(false)))) checkInterval?: Period | null;
  @Optional({
    schema: anything('Kept in the history of the project, without effect; at most 16 KiB of JSON'),
    accepts: (value) => Buffer.byteLength(JSON.stringify(value)) <= AI_SUGGESTIONS_BYTES,
    must: 'must be at most 16 KiB of JSON',
  })
  aiSuggestions?: unknown;
  @Optional(firstAreas) areas?: FirstAreaDto[];
  @Optional(firstTests) tests?: CheckDto[];
}

/** The errors of the interface have statuses of their own, and old parameters are answered before anything else (docs/spec/decisions.md#P1, #P2, #P3). */
export function readCreateProject(given: Given, form: 'body' | 'query'): CreateProjectInput {
  const has = (old: string): boolean => Object.keys(given).some((name) => name.replace(/\[.*$/, '') === old);
  if (has('urls')) throw new UrlsDeprecated('The parameter "urls" is deprecated. Use "url" instead.');
  if (has('blank')) throw new BlankDeprecated('The parameter "blank" is deprecated. Use "addPresetChecks" instead.');
  const { url } = given;
  if (url === undefined || url === null || url === '') throw new UrlMissing('The mandatory parameter "url" is missing.');
  if (typeof url !== 'string') throw new UrlInvalid('The URL seems to be invalid: it is not text.');
  const read = readSiteUrl(url);
  if (read.kind === 'invalid') throw new UrlInvalid(`The URL seems to be invalid: ${read.reason}.`);
  if (form === 'query') return { ...read, ...ownFieldsOf(readInput(CreateProjectQuery, withoutEmpty(given))), settings: {}, checks: null };
  const input = Object.assign(readInput(CreateProjectDto, given), { url: read.url });
  const settings = settingsOf(input, { title: read.host, uptimeUrl: read.url });
  const own = ownFieldsOf(input);
  if (own.period !== null && settings.period !== undefined && own.period !== settings.period)
    throw new InvalidInput([problemOf('period: must be the same as checkInterval where both are given')]);
  const { areas = [], tests = [] } = input;
  const checks = areas.length + tests.length === 0 ? null : { areas, tests };
  return { ...read, ...own, settings, checks, ...(input.aiSuggestions === undefined ? {} : { aiSuggestions: input.aiSuggestions }) };
}

const ownFieldsOf = ({ addPresetChecks, checkInterval }: CreateProjectQuery): Pick<CreateProjectInput, 'preset' | 'period'> => ({
  preset: addPresetChecks ?? false,
  period: checkInterval ?? null,
});

/** An empty parameter of a query is not set. */
const withoutEmpty = (given: Given): Given => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
