import { type AreaPeriod, areaPeriods } from './area.settings.ts';
import { AreaOptionsInput } from '../checks/check.api.ts';
import { newGroupRules, type RuleInput, groupRuleSchema } from '../checks/rule.api.ts';
import { flag, text, word, integer, list, named, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { filledText, like, object, oneOfWords, trimmed, yesOrNo } from '../../platform/http/validation/fields.ts';
import { InlineInput, Input, type InputField, Optional, OptionalOrNull, ReadOnly } from '../../platform/http/validation/input.ts';
import { json, type Operations, patches, takes } from '../../platform/http/description/operation.ts';
import { done, idPath, objectIdSchema, OTHER_ID } from '../../platform/http/description/vocabulary.ts';
import { pagedList } from '../../platform/http/lists/list.ts';

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

/** docs/spec/interface.md#area-group-of-checks. */
const areaSchema = named(
  'Area',
  record(
    'A group of checks',
    {
      id: objectIdSchema('The group', OTHER_ID),
      projectId: objectIdSchema('Its project'),
      name: text('Name', { examples: ['Public'] }),
      public: flag('Whether its URLs are reachable without a password'),
      rules: list(list(groupRuleSchema, 'A block'), 'Rules that apply to every test of the group, in blocks'),
      form: named('Form', record('A sign-in form; with empty values when the group has none', formFields)),
      httpAuth: record('HTTP authentication; with empty values when the group has none', httpAuthFields),
      period: word(areaPeriods, '`true`: as the project; `false`: by hand', { examples: ['true'] }),
      options: record('How its tests are fetched', { w: text('Extra HTTP headers, one a line, their values masked', { examples: [''] }) }),
      nextRun: integer('Seconds until the next run; negative when none is scheduled', { examples: [120] }),
      periodInt: integer('Seconds between runs; 0 by hand', { minimum: 0, examples: [300] }),
    },
    {
      foundChecksum: text('Checksum of the sign-in form as last found, if it differs from the saved one or none was saved'),
      result: record('Present only after a failure', { prop: text('The failure of the rules or the sign-in of the group, in words') }),
    },
  ),
);
export type AreaAnswer = ValueOf<typeof areaSchema>;
const areaPath = { id: objectIdSchema('The group') };

export const areaOperations: Operations = {
  'GET /project/:id/areas': {
    id: 'listAreas',
    tag: 'Groups',
    summary: 'List the groups of a project',
    path: idPath,
    list: pagedList(areaSchema, { name: 'areas', sorts: ['created', 'name'], search: ['name'], defaultLimit: null }),
    answer: json(list(areaSchema, 'In the order of creation')),
  },
  'POST /project/:id/areas': {
    id: 'createArea',
    tag: 'Groups',
    summary: 'Create a group',
    path: idPath,
    body: takes(AreaDto, { name: 'Behind the login', period: '1 hour' }),
    answer: json(areaSchema),
  },
  'GET /area/:id': { id: 'getArea', tag: 'Groups', summary: 'Read a group', path: areaPath, answer: json(areaSchema) },
  'PUT /area/:id': {
    id: 'updateArea',
    tag: 'Groups',
    summary: 'Change a group',
    description: 'Only supplied fields change.',
    path: areaPath,
    body: takes(AreaDto, { httpAuth: { user: 'monitor', password: 'secret', url: '' }, public: false }),
    answer: json(areaSchema),
  },
  'PATCH /area/:id': {
    id: 'patchArea',
    tag: 'Groups',
    summary: 'Change a group by a merge patch',
    path: areaPath,
    body: patches(AreaDto, 'AreaPatch', { period: '1 hour', httpAuth: null }),
    answer: json(areaSchema),
  },
  'DELETE /area/:id': {
    id: 'deleteArea',
    tag: 'Groups',
    summary: 'Delete a group and its tests',
    path: areaPath,
    answer: done,
  },
};
