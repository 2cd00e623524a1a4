import { siteUrl } from '../platform/http/validation/fields.ts';
import { Input, Optional, ReadOnly, answersOf, queryOf } from '../platform/http/validation/input.ts';
import { WritableSettings } from './writable-settings.dto.ts';
import { exampleOf } from '../platform/http/description/example.ts';
import { bare, json, may, type Operations, patches, takes } from '../platform/http/description/operation.ts';
import { type Fields, flag, integer, list, named, orNull, record, text, type ValueOf, word } from '../platform/http/description/schema.ts';
import { done, idPath, instant, nextCursor, objectIdSchema, unreadableSchema } from '../platform/http/description/vocabulary.ts';
import { permissionsSchema } from './members/member.api.ts';
import { CreateProjectDto, CreateProjectQuery } from './create-project.input.ts';
import { pagedList } from '../platform/http/lists/list.ts';

/** The fields that cannot be written are accepted and ignored, so that a client can send back an answer (docs/spec/decisions.md#P6). */
@Input('ProjectChange', 'Only supplied fields change')
export class UpdateProjectDto extends WritableSettings {
  @Optional(siteUrl('Base URL', 'https://example.com')) url?: string;
  @ReadOnly() id?: unknown;
  @ReadOnly() apiKey?: unknown;
  @ReadOnly() payerId?: unknown;
  @ReadOnly() created?: unknown;
  @ReadOnly() userIds?: unknown;
  @ReadOnly() status?: unknown;
  @ReadOnly() sslStatus?: unknown;
  @ReadOnly() sslExpiration?: unknown;
  @ReadOnly() sslDaysLeft?: unknown;
  @ReadOnly() sslError?: unknown;
  @ReadOnly() httpsRedirectStatus?: unknown;
  @ReadOnly() httpsRedirectFinalUrl?: unknown;
  @ReadOnly() httpsRedirectCheckedAt?: unknown;
  @ReadOnly() isWordPress?: unknown;
  @ReadOnly() permissions?: unknown;
}

/** docs/spec/interface.md#project. */
const fields = {
  ...answersOf(WritableSettings),
  id: objectIdSchema('The project'),
  url: text('Base URL', { examples: ['https://example.com'] }),
  apiKey: text('Key of the project, empty without the permission `apiKey`; it authenticates no request', { examples: [''] }),
  payerId: integer('User id of the owner', { examples: [7] }),
  created: instant('Time of creation'),
  userIds: list(integer('A user id', { examples: [7] }), 'Users with access'),
  status: orNull(word(['ok', 'error', 'timeout'], 'The worst status of its enabled tests; null until the first run', { examples: ['ok'] })),
  sslStatus: word(['ok', 'soon', 'expired', 'nossl', 'noinfo'], 'State of the certificate'),
  sslExpiration: orNull(instant('Expiry of the certificate; null when there is nothing to report', '2023-09-01T00:00:00+00:00')),
  sslError: orNull(text('Why the certificate does not verify')),
  httpsRedirectStatus: orNull(word(['ok', 'failed', 'unreachable'], 'Null until the first check', { examples: ['ok'] })),
  httpsRedirectFinalUrl: orNull(text('Final URL of the redirect', { examples: ['https://example.com/'] })),
  httpsRedirectCheckedAt: orNull(instant('Time of the last check')),
  isWordPress: orNull(flag('Null until the first check')),
} satisfies Fields;
const sometimes = {
  sslDaysLeft: integer('Whole days until the certificate expires; missing until the first check', { minimum: 0 }),
} satisfies Fields;

const projectSchema = named('Project', record('A monitored site', fields, sometimes));
export type ProjectAnswer = ValueOf<typeof projectSchema>;

const projectInFull = named(
  'ProjectInFull',
  record('A project and the permissions of the caller', { ...fields, permissions: permissionsSchema }, sometimes),
);
export type ProjectInFullAnswer = ValueOf<typeof projectInFull>;

const projectPage = named(
  'ProjectPage',
  record(
    'A page of projects',
    { projects: list(projectSchema, 'Projects that the caller may read'), nextCursor },
    { unreadable: unreadableSchema },
  ),
);

/** `unknown`: not checked yet. */
const projectStatuses = ['ok', 'error', 'timeout', 'unknown'] as const;
export type ListedStatus = (typeof projectStatuses)[number];

const projects = pagedList(projectSchema, {
  name: 'projects',
  member: 'projects',
  sorts: ['id', 'title', 'created'],
  status: projectStatuses,
  search: ['title', 'url'],
  defaultLimit: 100,
  otherParameters: ['asOf', 'tag'],
});

const checked = { sslDaysLeft: 161, uptimeEnabled: '60' } as const;

const createRefusals = {
  402: bare('The project limit of the plan is reached'),
  410: bare('The URL is invalid'),
  432: bare('The parameter `urls` is deprecated'),
  433: bare('The parameter `blank` is deprecated'),
  434: bare('The mandatory parameter `url` is missing'),
  500: bare('The creation failed'),
};

export const projectOperations: Operations = {
  'POST /project/create': {
    id: 'createProject',
    tag: 'Projects',
    summary: 'Create a project',
    description: 'With its settings, groups and tests: all of it, or nothing.',
    body: takes(CreateProjectDto, { url: 'https://example.com', title: 'Example', addPresetChecks: true, checkInterval: '1 hour' }),
    answer: json(projectSchema, checked),
    refusals: createRefusals,
  },
  'GET /project/create': {
    id: 'createProjectByQuery',
    tag: 'Projects',
    summary: 'Create a project by query',
    description: 'The same as with a body, but without `aiSuggestions`, the settings of a project, its groups and its tests.',
    query: queryOf(CreateProjectQuery),
    answer: json(projectSchema, checked),
    refusals: createRefusals,
  },
  'GET /projects': {
    id: 'listProjects',
    tag: 'Projects',
    summary: 'List the projects that the caller may read',
    list: projects,
    query: { tag: may(text('Only projects with this tag, in any case; repeated: with all of them', { maxLength: 40 })) },
    answer: json(projectPage, { projects: [exampleOf(projectSchema, checked)] }),
  },
  'GET /project/:id': {
    id: 'getProject',
    tag: 'Projects',
    summary: 'Read a project',
    path: idPath,
    answer: json(projectInFull, checked),
  },
  'PUT /project/:id': {
    id: 'updateProject',
    tag: 'Projects',
    summary: 'Change a project',
    path: idPath,
    body: takes(UpdateProjectDto, { title: 'Example', period: '5 minutes', location: 'eu', checkDefaultErrors: true }),
    answer: done,
  },
  'PATCH /project/:id': {
    id: 'patchProject',
    tag: 'Projects',
    summary: 'Change a project by a merge patch',
    path: idPath,
    body: patches(UpdateProjectDto, 'ProjectPatch', { title: 'Example', userAgent: null }),
    answer: done,
  },
  'DELETE /project/:id': {
    id: 'deleteProject',
    tag: 'Projects',
    summary: 'Delete a project',
    description: 'It disappears from every read; its history stays for auditors.',
    path: idPath,
    answer: done,
  },
};
