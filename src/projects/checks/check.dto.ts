import { type CheckMethod, checkMethods, type CheckType, checkTypes } from './check.settings.ts';
import { readExtraHeaders } from './extra-headers.ts';
import { openRecord, text } from '../../platform/http/description/schema.ts';
import { MASK } from '../../kernel/text.ts';
import { anyText, idOf, object, oneOf, plainText, readLater, texts, trimmed, yesOrNo } from '../../platform/http/validation/fields.ts';
import { InlineInput, Input, type InputField, Optional, OptionalOrNull, ReadOnly } from '../../platform/http/validation/input.ts';
import { type ExtractionInput, extractions, usedNames } from './extraction.dto.ts';
import { newRules, type RuleInput } from './rule.dto.ts';

/** Extra headers, one a line (docs/spec/decisions.md#T10), with single line ends in answers. */
const extraHeaders: InputField<string> = {
  schema: text(
    `Extra HTTP headers, one a line; answers show \`${MASK}\` for each value, which sent back keeps it. They are sent to one site only`,
    { examples: ['X-From: watchledger'] },
  ),
  read: (given) => {
    const read = typeof given === 'string' ? readExtraHeaders(given) : null;
    return read?.ok ? read.headers.map(([name, value]) => `${name}: ${value}`).join('\n') : given;
  },
  accepts: (given) => given === MASK || (typeof given === 'string' && readExtraHeaders(given).ok),
  must: (given) => {
    const read = typeof given === 'string' ? readExtraHeaders(given) : null;
    return read === null || read.ok ? 'must be text, one header a line' : read.reason;
  },
};

/** Printable ASCII, such as `application/json; charset=utf-8`. */
const contentType: InputField<string> = {
  schema: text('Content type of the body; empty: that of the extra headers, else plain text', {
    maxLength: 200,
    examples: ['application/json'],
  }),
  accepts: (given) => typeof given === 'string' && given.length <= 200 && /^[ -~]*$/.test(given),
  must: 'must be at most 200 printable characters of ASCII',
};

const MAX_BODY = 8 * 1024;
/** A secret, as the values of extra headers (docs/spec/decisions.md#T18). */
const body: InputField<string> = {
  schema: text(`Body of the request, at most 8 KiB; answers show \`${MASK}\`, which sent back keeps it; empty removes it`, {
    maxLength: MAX_BODY,
  }),
  accepts: (given) => typeof given === 'string' && Buffer.byteLength(given) <= MAX_BODY && !/[\ud800-\udfff]/u.test(given),
  must: 'must be well-formed text of at most 8 KiB',
};

@InlineInput('How its tests are fetched')
export class AreaOptionsInput {
  @OptionalOrNull(extraHeaders) w?: string | null;
}

/** docs/spec/interface.md#test-check: only supplied keys change. */
@InlineInput('How the test is fetched; only supplied keys change')
export class CheckOptionsInput {
  @Optional(yesOrNo('HTTP/1 requests only')) '2'?: boolean;
  @Optional(yesOrNo('IPv6 requests only')) '6'?: boolean;
  @Optional(yesOrNo('Do not accept gzip')) g?: boolean;
  @Optional(yesOrNo('Do not follow redirects')) l?: boolean;
  @OptionalOrNull(extraHeaders) w?: string | null;
  @OptionalOrNull(oneOf('Method of the request', checkMethods)) method?: CheckMethod | null;
  @OptionalOrNull(contentType) contentType?: string | null;
  @OptionalOrNull(body) body?: string | null;
  @OptionalOrNull(extractions) extract?: ExtractionInput[] | null;
  @OptionalOrNull(usedNames) uses?: string[] | null;
}

/** Older clients write the rules here. */
@InlineInput('Read only except `rules`', { open: true })
class CheckStatusInput {
  @Optional(newRules) rules?: RuleInput[];
}

export const checkUrlField = readLater(
  text('Absolute, or a path relative to the URL of the project', { maxLength: 2048, examples: ['/about'] }),
);
export const checkType = oneOf('Kind of test', checkTypes);
export const templateId = plainText('Template', 100);
export const templateVars = texts('Variables of the template', { item: 'A variable', maxLength: 1000, maxItems: 100 });

/** The fields of a Test that a client may write, and those that it may send back as it got them (docs/spec/decisions.md#T1, #T2). */
@Input('NewTest', 'A test, or the changes to one')
export class CheckDto {
  /** Read by `readCheckUrl`, whose refusal has a body of its own. */
  @Optional(checkUrlField) url?: unknown;
  @Optional(trimmed(plainText('Without a name, the title of the page', 200))) name?: string;
  @Optional(yesOrNo('Whether the test runs')) enabled?: boolean;
  @Optional(plainText('A note', 4000)) notice?: string;
  @Optional(checkType) type?: CheckType;
  @Optional(idOf('A group of the project', 'must be the id of a group of the project')) areaId?: string;
  @Optional(newRules) rules?: RuleInput[];
  @Optional(object(CheckOptionsInput)) options?: CheckOptionsInput;
  @Optional(templateId) templateId?: string;
  @Optional(templateVars) templateVars?: string[];
  @Optional(object(CheckStatusInput, openRecord('Read only except `rules`, which older clients write here'))) status?: CheckStatusInput;
  @ReadOnly() id?: unknown;
  @ReadOnly() run?: unknown;
  @ReadOnly() flags?: unknown;
  @ReadOnly() projectId?: unknown;
}

export class CreateCheckQuery {
  @Optional(anyText('A group of the project, when the body names none')) areaId?: string;
  @Optional(anyText('The project')) projectId?: string;
}
