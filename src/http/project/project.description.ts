import { periods } from '../../domain/project/settings.ts';
import { bare, json, may, must, type Operations } from '../description/operation.ts';
import { anything, eitherOf, flag, list, record, ref, type Schema, text, word } from '../description/schema.ts';
import { ID, idPath, nextCursor, pageOf, readOnly, success, unreadableSchema } from '../description/vocabulary.ts';
import { permissions } from '../member/members.description.ts';
import { projectFields, projectSometimes, writableFields } from './project-fields.description.ts';
import { projectStatuses } from './list-projects.dto.ts';

const interval = word(periods, 'Period; `false`: started by hand. Unset: what the plan says');

const ignored = [...Object.keys(projectFields), ...Object.keys(projectSometimes), 'permissions'].filter(
  (name) => !(name in writableFields),
);

export const projectSchemas = {
  Project: record('A monitored site', projectFields, projectSometimes),
  ProjectInFull: record('A project, with what the caller may do', { ...projectFields, permissions: ref('Permissions') }, projectSometimes),
  ProjectPage: record(
    'A page of projects',
    { projects: list(ref('Project'), 'Those that the caller may read'), nextCursor },
    { unreadable: unreadableSchema },
  ),
  ProjectChange: record(
    'Only what is supplied changes',
    {},
    { ...writableFields, ...Object.fromEntries(ignored.map((name) => [name, readOnly()])) },
  ),
  NewProject: record(
    'What is to be watched',
    { url: text('URL to be checked', { maxLength: 2048, examples: ['https://example.com'] }) },
    {
      addPresetChecks: flag('`true`: with preset checks; `false`: empty', { default: false }),
      checkInterval: eitherOf('Period', interval, { const: false }),
      aiSuggestions: anything('Kept in the history of the project, without effect; at most 16 KiB of JSON'),
    },
  ),
} satisfies Readonly<Record<string, Schema>>;

export const project = {
  id: ID,
  title: 'Example',
  name: 'Example',
  url: 'https://example.com',
  period: '5 minutes',
  uptimeUrl: 'https://example.com',
  uptimeEnabled: '60',
  apiKey: '',
  payerId: 7,
  location: 'eu',
  checkDefaultErrors: true,
  created: '2023-03-23T12:53:20+00:00',
  userAgent: 'Mozilla/5.0 (compatible; Watchledger/1.0; site monitoring)',
  timeout: 3,
  delay: 50,
  userIds: [7],
  status: 'ok',
  sslStatus: 'ok',
  sslExpiration: '2023-09-01T00:00:00+00:00',
  sslDaysLeft: 161,
  sslError: null,
  sslAlertPeriod: 14,
  httpsRedirectEnabled: true,
  httpsRedirectStatus: 'ok',
  httpsRedirectFinalUrl: 'https://example.com/',
  httpsRedirectCheckedAt: '2023-03-23T12:53:20+00:00',
  webPushEnabled: false,
  securityMonitoringEnabled: false,
  isWordPress: null,
};

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
    body: { schema: ref('NewProject'), example: { url: 'https://example.com', addPresetChecks: true, checkInterval: '1 hour' } },
    answer: json(ref('Project'), project),
    refusals: createRefusals,
  },
  'GET /project/create': {
    id: 'createProjectByQuery',
    tag: 'Projects',
    summary: 'Create a project by query',
    description: 'The same as the form with a body; `aiSuggestions` is unavailable.',
    query: {
      url: must(text('URL to be checked', { maxLength: 2048, examples: ['https://example.com'] })),
      addPresetChecks: may(flag('`true`: with preset checks; `false`: empty', { default: false })),
      checkInterval: may(interval),
    },
    answer: json(ref('Project'), project),
    refusals: createRefusals,
  },
  'GET /projects': {
    id: 'listProjects',
    tag: 'Projects',
    summary: 'Projects that the caller may read',
    query: {
      ...pageOf(),
      status: may(word(projectStatuses, '`unknown`: nobody looked yet')),
      search: may(text('In title and URL', { maxLength: 200 })),
    },
    answer: json(ref('ProjectPage'), { projects: [project], nextCursor: null }),
  },
  'GET /project/:id': {
    id: 'getProject',
    tag: 'Projects',
    summary: 'Read a project',
    path: idPath,
    answer: json(ref('ProjectInFull'), { ...project, permissions }),
  },
  'PUT /project/:id': {
    id: 'updateProject',
    tag: 'Projects',
    summary: 'Change a project',
    path: idPath,
    body: { schema: ref('ProjectChange'), example: { title: 'Example', period: '5 minutes', location: 'eu', checkDefaultErrors: true } },
    answer: json(ref('Success'), success),
  },
  'DELETE /project/:id': {
    id: 'deleteProject',
    tag: 'Projects',
    summary: 'Delete a project',
    description: 'It disappears from every read; its history stays for auditors.',
    path: idPath,
    answer: json(ref('Success'), success),
  },
};
