import { type AreaPeriod, areaPeriods } from './area.settings.ts';
import { AreaOptionsInput } from '../checks/check.dto.ts';
import { newGroupRules, type RuleInput } from '../checks/rule.dto.ts';
import { flag, text, word } from '../../platform/http/description/schema.ts';
import { filledText, like, object, oneOfWords, trimmed, yesOrNo } from '../../platform/http/validation/fields.ts';
import { InlineInput, Input, type InputField, Optional, OptionalOrNull, ReadOnly } from '../../platform/http/validation/input.ts';

const most = { maxLength: 2048, examples: [''] };

/** Members of a sign-in form, in answers and in requests. */
export const formFields = {
  identifier: text('Stable within the page: its id, else its name, else `#` and its position', most),
  enabled: flag('Whether the form is submitted', { examples: [false] }),
  method: word(['GET', 'POST'], 'HTTP method'),
  action: text('Target of the form, resolved', most),
  originalAction: text('The attribute as written', most),
  relativeAction: text('Target of the form resolved against `baseUrl`, still relative', most),
  baseUrl: text('The page', most),
  params: text(
    'URL-encoded fields, masked in answers; the mask or an empty text keeps the saved ones, as long as the form stays with its site',
    { maxLength: 4096, examples: [''] },
  ),
  html: text('Raw HTML of the form', { maxLength: 16_384, examples: [''] }),
  checksum: text('Hash of the markup; a change is reported', most),
};

export const httpAuthFields = {
  user: text('User', { maxLength: 200, pattern: '^[^:]*$', examples: [''] }),
  password: text('Empty in answers; an empty text keeps the saved one, as long as `url` stays with its site', {
    maxLength: 4096,
    examples: [''],
  }),
  url: text('Origin that receives the credentials; empty: that of the project', most),
};

@InlineInput('Only supplied members change; an empty form removes it')
export class FormInput {
  @OptionalOrNull(like(formFields.identifier)) identifier?: string | null;
  @OptionalOrNull(yesOrNo('Whether the form is submitted')) enabled?: boolean | null;
  @OptionalOrNull(like(formFields.method)) method?: 'GET' | 'POST' | null;
  @OptionalOrNull(like(formFields.action)) action?: string | null;
  @OptionalOrNull(like(formFields.originalAction)) originalAction?: string | null;
  @OptionalOrNull(like(formFields.relativeAction)) relativeAction?: string | null;
  @OptionalOrNull(like(formFields.baseUrl)) baseUrl?: string | null;
  @OptionalOrNull(like(formFields.params)) params?: string | null;
  @OptionalOrNull(like(formFields.html)) html?: string | null;
  @OptionalOrNull(like(formFields.checksum)) checksum?: string | null;
}

const user = like(httpAuthFields.user);
const hasColon = (value: unknown): boolean => typeof value === 'string' && value.includes(':');
const userWithoutColon: InputField<string> = {
  ...user,
  accepts: (value, input) => user.accepts(value, input) && !hasColon(value),
  must: (value) => (hasColon(value) ? 'must not contain a colon' : String(user.must)),
};

/** docs/spec/interface.md#area-group-of-checks: httpAuth. */
@InlineInput('Only supplied members change; an empty user removes it')
export class SignInInput {
  @OptionalOrNull(userWithoutColon) user?: string | null;
  @OptionalOrNull(like(httpAuthFields.password)) password?: string | null;
  @OptionalOrNull(like(httpAuthFields.url)) url?: string | null;
}

/** The fields of an Area that a client may write, and those that it may send back as it got them. */
@Input('AreaChange', 'A group, or the changes to one')
export class AreaDto {
  @Optional(trimmed(filledText('Name; required for a new group', 200))) name?: string;
  @Optional(yesOrNo('Whether its URLs are reachable without a password')) public?: boolean;
  @Optional(newGroupRules) rules?: RuleInput[][];
  @Optional(object(FormInput)) form?: FormInput;
  @Optional(object(SignInInput)) httpAuth?: SignInInput;
  @Optional(oneOfWords('As in answers', areaPeriods, { type: 'boolean' })) period?: AreaPeriod;
  @Optional(object(AreaOptionsInput)) options?: AreaOptionsInput;
  @ReadOnly() id?: unknown;
  @ReadOnly() projectId?: unknown;
  @ReadOnly() foundChecksum?: unknown;
  @ReadOnly() result?: unknown;
  @ReadOnly() nextRun?: unknown;
  @ReadOnly() periodInt?: unknown;
}
