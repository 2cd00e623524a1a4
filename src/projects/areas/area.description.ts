import { areaPeriods } from './area.settings.ts';
import { groupRuleSchema } from '../checks/rule.description.ts';
import { json, type Operations, patches, takes } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, idPath, objectIdSchema, OTHER_ID } from '../../platform/http/description/vocabulary.ts';
import { AreaDto, formFields, httpAuthFields } from './area.dto.ts';
import { pagedList } from '../../platform/http/lists/list.ts';

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
