import { exampleOf } from '../platform/http/description/example.ts';
import { json, type Operations, takes, why } from '../platform/http/description/operation.ts';
import {
  anything,
  integer,
  list,
  named,
  openRecord,
  orNull,
  record,
  text,
  type ValueOf,
  word,
} from '../platform/http/description/schema.ts';
import { idPath, moment, objectIdSchema, uuidSchema } from '../platform/http/description/vocabulary.ts';
import { eventActor } from '../history/history.api.ts';
import { share, stretchSchema } from '../checker/trial/trial.api.ts';
import { changedKinds } from './site-changes.ts';
import { ApplySitesDto, PlanSitesDto } from './site-plan.dto.ts';

const fileProblem = named(
  'SiteFileProblem',
  record('What is wrong in a file', {
    file: text('Name of the file'),
    line: integer('Line, from 1', { minimum: 1 }),
    column: integer('Column, from 1', { minimum: 1 }),
    message: text('What is wrong, and what would be accepted'),
  }),
);

const siteError = named(
  'SiteError',
  record('Why a project is not planned or not changed', {
    status: integer('The status that a request of its own would get'),
    errorCode: text('Stable code'),
    message: text('What is wrong'),
  }),
);

const foreignChange = named(
  'ForeignChange',
  record('A change that did not come from a site file', {
    event: uuidSchema('Its event'),
    type: text('Type of the event', { examples: ['PeriodChanged'] }),
    recordedAt: moment('When it was recorded'),
    actor: eventActor,
    summary: text('One sentence for a person', { examples: ['The period was changed from "1 day" to "1 hour"'] }),
  }),
);
export type ForeignChangeAnswer = ValueOf<typeof foreignChange>;

const plannedField = record('A field that changes', {
  field: text('In the words of the API, such as `period` or `options.w`', { examples: ['period'] }),
  from: anything('Today; of a new object the default', { examples: ['1 day'] }),
  to: anything('As the file wants it; secrets are hidden', { examples: ['5 minutes'] }),
  changedBy: orNull(foreignChange),
});

const plannedChange = named(
  'PlannedChange',
  record('What changes of an object', {
    action: word(['create', 'change', 'delete'], 'What happens to it', { examples: ['change'] }),
    kind: word(changedKinds, 'What it is'),
    id: orNull(text('Its id; null: it is new, or has none', { examples: ['64f0c2a91b7de35a04c8f612'] })),
    name: text('Its name today', { examples: ['Shop'] }),
    fields: list(plannedField, 'Field by field; of a new object those that differ from the default'),
  }),
);
export type PlannedChangeAnswer = ValueOf<typeof plannedChange>;

const unlisted = named(
  'UnlistedObject',
  record('A group or check that the file does not have, and that stays', {
    kind: word(['group', 'check'], 'What it is'),
    id: objectIdSchema('Its id'),
    name: text('Its name'),
    createdBy: orNull(foreignChange),
  }),
);
export type UnlistedAnswer = ValueOf<typeof unlisted>;

const ofSite = {
  key: text('Of the site', { examples: ['shop'] }),
  file: text('Name of its file', { examples: ['shop.yaml'] }),
  projectId: orNull(objectIdSchema('The project; null: it does not exist yet')),
};

const ruleHistory = named(
  'RuleHistory',
  record('What the rules of the file would have said in the past, over kept pages', {
    checkId: objectIdSchema('The check'),
    name: text('Its name'),
    runs: integer('Runs in that time', { minimum: 0 }),
    judged: integer('Runs that were kept completely enough to be judged again', { minimum: 0 }),
    changed: integer('Runs whose status would differ', { minimum: 0 }),
    uptime: record('Percent of the judged runs that passed; null without any', {
      old: share('By the original verdicts', 100),
      new: share('By the rules of the file', 99.3),
    }),
    newFailures: list(stretchSchema, 'The first ten stretches of runs that passed and would fail'),
    goneFailures: list(stretchSchema, 'The first ten stretches of runs that failed and would pass'),
  }),
);
export type RuleHistoryAnswer = ValueOf<typeof ruleHistory>;

const sitePlan = named(
  'SitePlan',
  record('The plan of a project', {
    ...ofSite,
    action: word(['create', 'change', 'none'], 'What happens to the project', { examples: ['change'] }),
    revision: orNull(integer('Number of the last event of the project that is planned on', { minimum: 0, examples: [41] })),
    plan: text('Names this plan; send it to carry the plan out', { examples: ['a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6'] }),
    changes: list(plannedChange, 'What changes'),
    unlisted: list(unlisted, 'What the file does not have', { examples: [[]] }),
    history: list(ruleHistory, 'With `history`: up to 20 checks whose rules change', { examples: [[]] }),
    error: orNull(siteError),
  }),
);
export type SitePlanAnswer = ValueOf<typeof sitePlan>;

const ofStatusPage = {
  slug: text('Of the page'),
  file: text('Name of its file'),
  pageId: orNull(objectIdSchema('The page; null: it does not exist yet')),
};

const statusPagePlan = named(
  'StatusPagePlan',
  record('The plan of a status page', {
    ...ofStatusPage,
    action: word(['create', 'change', 'none'], 'What happens to the page'),
    plan: text('Names this plan; sent as that of `status-page:SLUG`, it is carried out'),
    changes: list(plannedChange, 'What changes'),
    missing: list(
      record(
        'What an item names',
        { project: text('Key or id of the project') },
        { group: text('Key or name of the group'), check: text('Key or name of the check') },
      ),
      'What does not exist yet: the page is refused unless it exists by then',
    ),
    error: orNull(siteError),
  }),
);
export type StatusPagePlanAnswer = ValueOf<typeof statusPagePlan>;

const sitePlans = named(
  'SitePlans',
  record('The plans of all files', {
    projects: list(sitePlan, 'In the order of the files'),
    statusPages: list(statusPagePlan, 'In the order of the files', { examples: [[]] }),
    problems: list(fileProblem, 'Sites and status pages with a problem have no plan', { examples: [[]] }),
  }),
);
export type SitePlansAnswer = ValueOf<typeof sitePlans>;

const appliedSite = named(
  'AppliedSite',
  record('What became of a plan', {
    ...ofSite,
    result: word(['applied', 'unchanged', 'refused'], '`unchanged`: there is nothing to do, or it was done before'),
    changes: list(plannedChange, 'What was changed'),
    error: orNull(siteError),
  }),
);
export type AppliedSiteAnswer = ValueOf<typeof appliedSite>;

const appliedStatusPage = named(
  'AppliedStatusPage',
  record('What became of the plan of a status page', {
    ...ofStatusPage,
    result: word(['applied', 'unchanged', 'refused'], '`unchanged`: there is nothing to do, or it was done before'),
    changes: list(plannedChange, 'What was changed'),
    error: orNull(siteError),
  }),
);
export type AppliedStatusPageAnswer = ValueOf<typeof appliedStatusPage>;

const appliedSites = named(
  'AppliedSites',
  record('What became of the plans', {
    projects: list(appliedSite, 'In the order of the files'),
    statusPages: list(appliedStatusPage, 'In the order of the files, after all projects', { examples: [[]] }),
  }),
);
export type AppliedSitesAnswer = ValueOf<typeof appliedSites>;

const siteAnswer = named(
  'SiteAsCode',
  record('A project as a site file', {
    projectId: objectIdSchema('The project'),
    title: text('Its title', { examples: ['Shop'] }),
    key: orNull(text('Its key; null: no site file was applied to it', { examples: ['shop'] })),
    site: openRecord('The smallest document that gives the same project, with a reference in place of each secret'),
    references: list<string>({ type: 'string' }, 'The names of its references', { examples: [[]] }),
  }),
);
export type SiteAnswer = ValueOf<typeof siteAnswer>;

const statusPageAnswer = named(
  'StatusPageAsCode',
  record('A status page as a document of a site file', {
    pageId: objectIdSchema('The page'),
    slug: text('Its slug', { examples: ['example'] }),
    document: openRecord('The smallest document that gives the same page, with a reference in place of its password'),
    references: list<string>({ type: 'string' }, 'The names of its references', { examples: [[]] }),
  }),
);
export type StatusPageFileAnswer = ValueOf<typeof statusPageAnswer>;

const file = { name: 'shop.yaml', text: 'key: shop\nurl: https://shop.example\n' };
const change = exampleOf(plannedChange, { fields: [exampleOf(plannedField, { changedBy: null })] });

export const siteFilesOperations: Operations = {
  'GET /project/:id/site': {
    id: 'readSite',
    tag: 'Projects',
    summary: 'Write a project as a site file',
    path: idPath,
    answer: json(siteAnswer, { site: { key: 'shop', url: 'https://shop.example' } }),
  },
  'POST /projects/plan': {
    id: 'planSites',
    tag: 'Projects',
    summary: 'Plan what site files change',
    description: 'Changes nothing. A project is planned on its state of now, and every rule and right of the single operations counts.',
    body: takes(PlanSitesDto, { files: [file] }),
    answer: json(sitePlans, { projects: [exampleOf(sitePlan, { changes: [change], error: null })] }),
  },
  'POST /projects/apply': {
    id: 'applySites',
    tag: 'Projects',
    summary: 'Carry out the plans of site files',
    description:
      'Each project is changed in one append: as planned, or not at all; status pages follow. One that has changed since it was planned is refused with `PLAN_STALE`, and the others go on. To repeat the request is harmless.',
    body: takes(ApplySitesDto, { files: [file], plans: { shop: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6' } }),
    answer: json(appliedSites, { projects: [exampleOf(appliedSite, { changes: [change], error: null })] }),
  },
  'GET /status-pages/:id/file': {
    id: 'readStatusPageFile',
    tag: 'StatusPages',
    summary: 'Write a status page as a document of a site file',
    path: idPath,
    answer: json(statusPageAnswer, {
      document: { statusPage: { slug: 'example', title: 'Example Shop', groups: [{ items: [{ name: 'Shop', project: 'shop' }] }] } },
    }),
    refusals: { 404: why('There is no such status page, or the caller may not edit every project that it shows') },
  },
};
