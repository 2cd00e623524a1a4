import { type Extraction, extractionKinds, extractionSource, isValueName, MAX_STEP_VALUES } from './extraction.ts';
import { isUrl } from '../../kernel/url.ts';
import { list, text } from '../../platform/http/description/schema.ts';
import { yesOrNo } from '../../platform/http/validation/fields.ts';
import { InlineInput, type InputField, inputSchema, instanceOf, Optional, Required } from '../../platform/http/validation/input.ts';

const NAME = 'a letter or _ and up to 39 letters, digits or _';

const valueName: InputField<string> = {
  schema: text(`How later tests name the value: ${NAME}`, { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,39}$', examples: ['token'] }),
  accepts: isValueName,
  must: `must be ${NAME}`,
};

const from: InputField<string> = {
  schema: text(
    'Where the value stands: `json:` and a JSONPath, `header:` or `cookie:` and a name, `pattern:` and a RE2 pattern with one group',
    {
      maxLength: 1024,
      examples: ['json:$.token'],
    },
  ),
  accepts: (given) => extractionSource(given) !== null,
  must: `must be ${extractionKinds.map((kind) => `${kind}:…`).join(', ')}, at most 1 KiB`,
};

const MAX_ORIGINS = 5;
const isOrigin = (given: unknown): boolean =>
  typeof given === 'string' && /^https?:/.test(given) && isUrl(given) && `${new URL(given).origin}/` === new URL(given).href;

const origins: InputField<string[]> = {
  schema: list(text('Scheme, host and port', { examples: ['https://api.example.com'] }), 'Other sites to which the value may be sent', {
    maxItems: MAX_ORIGINS,
  }),
  accepts: (given) => Array.isArray(given) && given.length <= MAX_ORIGINS && given.every(isOrigin),
  must: `must be at most ${String(MAX_ORIGINS)} sites such as https://api.example.com, without a path`,
};

@InlineInput('A value of the answer, for later tests of the group')
export class ExtractionInput {
  @Required(valueName) name!: string;
  @Required(from) from!: string;
  @Optional(yesOrNo('Mask the value wherever it would be shown, and keep no page of this test', { default: true })) secret?: boolean;
  @Optional(origins) origins?: string[];
}

const hasOneOfEach = (names: readonly string[]): boolean => new Set(names).size === names.length;

export const extractions: InputField<ExtractionInput[]> = {
  schema: list(inputSchema(ExtractionInput), 'Values for later tests of the group', { maxItems: MAX_STEP_VALUES }),
  read: (given) => (Array.isArray(given) ? given.map((one) => instanceOf(ExtractionInput, one)) : given),
  accepts: (given) =>
    Array.isArray(given) &&
    given.length <= MAX_STEP_VALUES &&
    given.every((one) => one instanceof ExtractionInput) &&
    hasOneOfEach(given.map(({ name }) => name)),
  must: `must be a list of at most ${String(MAX_STEP_VALUES)} extractions with different names`,
  nested: true,
};

export const usedNames: InputField<string[]> = {
  schema: list(
    text('A name that an earlier test of the group extracts'),
    'Names whose values replace `{{name}}` in `url`, `w` and `body`',
    {
      maxItems: MAX_STEP_VALUES,
    },
  ),
  accepts: (given) => Array.isArray(given) && given.length <= MAX_STEP_VALUES && given.every(isValueName) && hasOneOfEach(given),
  must: `must be a list of at most ${String(MAX_STEP_VALUES)} different names`,
};

export const toExtractions = (given: readonly ExtractionInput[]): readonly Extraction[] =>
  given.map(({ name, from: source, secret, origins: others }) => ({
    name,
    from: source,
    ...(secret !== undefined && { secret }),
    ...(others !== undefined && { origins: others.map((one) => new URL(one).origin) }),
  }));
