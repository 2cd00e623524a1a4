import { ApiError } from '../../client/api-error.ts';
import type { WatchledgerClient } from '../../client/client.ts';
import type { Schemas } from '../../client/types.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { Progress } from '../progress.ts';
import type { SiteRequest } from './site-requests.ts';

export interface PlanOptions {
  readonly prune: 'none' | 'some' | 'all';
  readonly keepSecrets: boolean;
}

/** Requests at a time: one is parsed while another is planned. */
const AT_ONCE = 2;

export interface PlannedDocuments {
  readonly projects: readonly Schemas['SitePlan'][];
  readonly statusPages: readonly Schemas['StatusPagePlan'][];
}

export interface AppliedDocuments {
  readonly projects: readonly Schemas['AppliedSite'][];
  readonly statusPages: readonly Schemas['AppliedStatusPage'][];
}

/** The plans of the server, in the order of the documents. */
export async function plansOf(
  client: WatchledgerClient,
  requests: readonly SiteRequest[],
  options: PlanOptions,
  history?: string,
): Promise<PlannedDocuments> {
  const answers = await inTurns('planning', requests, async ({ files }) => {
    const { data } = await unlessOlder(
      client.post('/projects/plan', { body: { files, ...options, ...(history !== undefined && { history }) } }),
    );
    const [problem] = data.problems;
    if (problem !== undefined) throw new StartRefused(`${problem.file}: ${problem.message}; is the server older than this command?`);
    return data;
  });
  const made = new Set(requests.flatMap(({ keys }) => keys));
  return {
    projects: answers.flatMap(({ projects }) => projects),
    statusPages: answers.flatMap(({ statusPages }) => statusPages.map((page) => withoutStrangers(page, made))),
  };
}

/** An item may name what the same files make, and nothing else that does not exist. */
function withoutStrangers(page: Schemas['StatusPagePlan'], made: ReadonlySet<string>): Schemas['StatusPagePlan'] {
  const stranger = page.missing.find(({ project }) => !made.has(project));
  if (page.error !== null || stranger === undefined) return page;
  const { project, group, check } = stranger;
  const what = [
    `project ${project}`,
    ...(group === undefined ? [] : [`group ${group}`]),
    ...(check === undefined ? [] : [`check ${check}`]),
  ];
  return {
    ...page,
    error: { status: 404, errorCode: 'NOT_FOUND', message: `${what.join(', ')}: is neither on the server nor in the files` },
  };
}

/** Carries the plans out, those of status pages after the projects that they show; a request that was not answered is repeated, which is harmless. */
export async function applied(
  client: WatchledgerClient,
  requests: readonly SiteRequest[],
  { plans, commit, ...options }: PlanOptions & { readonly plans: ReadonlyMap<string, string>; readonly commit: string | undefined },
): Promise<AppliedDocuments> {
  const apply = (some: readonly SiteRequest[]): Promise<readonly AppliedDocuments[]> =>
    inTurns('applying', some, async ({ keys, files }) => {
      const ofRequest = Object.fromEntries(keys.flatMap((key) => (plans.has(key) ? [[key, plans.get(key) ?? '']] : [])));
      const body = { files, ...options, plans: ofRequest, ...(commit !== undefined && { commit }) };
      return (await client.post('/projects/apply', { body })).data;
    });
  const ofSites = await apply(requests.filter(({ isOfPages }) => !isOfPages));
  const ofPages = await apply(requests.filter(({ isOfPages }) => isOfPages));
  return { projects: ofSites.flatMap(({ projects }) => projects), statusPages: ofPages.flatMap(({ statusPages }) => statusPages) };
}

/** A server without plans does not know the path. */
async function unlessOlder<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.errorCode === 'ROUTE_NOT_FOUND')
      throw new StartRefused(
        'the server does not plan site files: it is older than this command, or the address is not that of a service',
        { cause: error },
      );
    throw error;
  }
}

async function inTurns<Answer>(
  label: string,
  requests: readonly SiteRequest[],
  send: (request: SiteRequest) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const total = requests.reduce((sum, { keys }) => sum + keys.length, 0);
  const progress = new Progress(label, process.stderr, () => performance.now(), 'sites');
  const limit = new ConcurrencyLimit(AT_ONCE);
  let done = 0;
  const sent = async (request: SiteRequest): Promise<Answer> => {
    const answer = await send(request);
    progress.report((done += request.keys.length), total);
    return answer;
  };
  try {
    progress.report(0, total);
    return await Promise.all(requests.map((request) => limit.run(() => sent(request))));
  } finally {
    progress.end();
  }
}
