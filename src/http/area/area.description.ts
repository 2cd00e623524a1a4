import { areaPeriods } from '../../domain/area/settings.ts';
import { newGroupRules } from '../check/rule.description.ts';
import { json, type Operations } from '../description/operation.ts';
import { eitherOf, flag, integer, list, record, ref, type Schema, text, word } from '../description/schema.ts';
import { ID, idPath, objectId, OTHER_ID, readOnly, success } from '../description/vocabulary.ts';

const most = { maxLength: 2048 };
const form = {
  identifier: text('Stable within the page: its id, else its name, else `#` and its place', most),
  enabled: flag('Whether it is submitted'),
  method: word(['GET', 'POST'], 'How it is submitted'),
  action: text('Where it is submitted, resolved', most),
  originalAction: text('The attribute as written', most),
  relativeAction: text('Resolved against `baseUrl`, still relative', most),
  baseUrl: text('The page', most),
  params: text('URL-encoded fields; masked in answers, and kept when sent back so or empty, as long as the form stays with its site', {
    maxLength: 4096,
  }),
  html: text('Raw HTML of the form', { maxLength: 16_384 }),
  checksum: text('Hash of the markup: a change is reported', most),
};
const httpAuth = {
  user: text('User', { maxLength: 200, pattern: '^[^:]*$' }),
  password: text('Empty in answers; an empty one keeps what was saved, as long as `url` stays with its site', { maxLength: 4096 }),
  url: text('Origin that it is sent to; empty: that of the project', most),
};

/** docs/spec/interface.md#area-group-of-checks. */
export const areaSchemas = {
  Form: record('A sign-in form; with empty values where there is none', form),
  Area: record(
    'A group of checks',
    {
      id: objectId('The group'),
      projectId: objectId('Its project'),
      name: text('Name'),
      public: flag('Whether its URLs are reachable without a password'),
      rules: list(list(ref('GroupRule'), 'A block'), 'Rules that apply to every test of the group, in blocks'),
      form: ref('Form'),
      httpAuth: record('HTTP authentication; with empty values where there is none', httpAuth),
      period: word(areaPeriods, '`true`: as the project; `false`: by hand'),
      options: record('How its tests are fetched', { w: text('Extra HTTP headers, one a line') }),
      nextRun: integer('Seconds until the next run; negative when none is to come'),
      periodInt: integer('Seconds between runs; 0 by hand', { minimum: 0 }),
    },
    {
      result: record('There only when something is wrong', {
        prop: text('What failed of the rules or the sign-in of the group, in words'),
      }),
    },
  ),
  AreaChange: record(
    'A group, or what is to change of one',
    {},
    {
      name: text('Name; needed for a new one', { minLength: 1, maxLength: 200 }),
      public: flag('Whether its URLs are reachable without a password'),
      rules: newGroupRules,
      form: record('Only supplied members change; an empty form takes it away', {}, form),
      httpAuth: record('Only supplied members change; an empty user takes it away', {}, httpAuth),
      period: eitherOf('As in answers', word(areaPeriods, 'As a word'), { type: 'boolean' }),
      options: record(
        'How its tests are fetched',
        {},
        { w: text('Extra HTTP headers, one a line', { examples: ['X-From: watchledger'] }) },
      ),
      ...Object.fromEntries(['id', 'projectId', 'result', 'nextRun', 'periodInt'].map((name) => [name, readOnly()])),
    },
  ),
} satisfies Readonly<Record<string, Schema>>;

const none = { identifier: '', enabled: false, method: 'GET', action: '', originalAction: '', relativeAction: '', baseUrl: '' };
const area = {
  ...{ id: OTHER_ID, projectId: ID, name: 'Public', public: true, rules: [[{ type: 'status', op: 'eq', val: '200' }]] },
  ...{ form: { ...none, params: '', html: '', checksum: '' }, httpAuth: { user: '', password: '', url: '' } },
  ...{ period: 'true', options: { w: '' }, nextRun: 120, periodInt: 300 },
};
const areaPath = { id: objectId('The group') };

export const areaOperations: Operations = {
  'GET /project/:id/areas': {
    id: 'listAreas',
    tag: 'Groups',
    summary: 'Groups of a project',
    path: idPath,
    answer: json(list(ref('Area'), 'In the order in which they were made'), [area]),
  },
  'POST /project/:id/areas': {
    id: 'createArea',
    tag: 'Groups',
    summary: 'Create a group',
    path: idPath,
    body: { schema: ref('AreaChange'), example: { name: 'Behind the login', period: '1 hour' } },
    answer: json(ref('Area'), area),
  },
  'GET /area/:id': { id: 'getArea', tag: 'Groups', summary: 'Read a group', path: areaPath, answer: json(ref('Area'), area) },
  'PUT /area/:id': {
    id: 'updateArea',
    tag: 'Groups',
    summary: 'Change a group',
    description: 'Only what is supplied changes.',
    path: areaPath,
    body: { schema: ref('AreaChange'), example: { httpAuth: { user: 'monitor', password: 'secret', url: '' }, public: false } },
    answer: json(ref('Area'), area),
  },
  'DELETE /area/:id': {
    id: 'deleteArea',
    tag: 'Groups',
    summary: 'Delete a group and its tests',
    path: areaPath,
    answer: json(ref('Success'), success),
  },
};
