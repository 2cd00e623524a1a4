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

/** The plans of the server, in the order of the sites. */
export async function plansOf(
  client: WatchledgerClient,
  requests: readonly SiteRequest[],
  options: PlanOptions,
  history?: string,
): Promise<readonly Schemas['SitePlan'][]> {
  const answers = await inTurns('planning', requests, async ({ files }) => {
    const { data } = await unlessOlder(
      client.post('/projects/plan', { body: { files, ...options, ...(history !== undefined && { history }) } }),
    );
    const [problem] = data.problems;
    if (problem !== undefined) throw new StartRefused(`${problem.file}: ${problem.message}; is the server older than this command?`);
    return data.projects;
  });
  return answers.flat();
}

/** Carries the plans out; a request that was not answered is repeated, which is harmless. */
export async function applied(
  client: WatchledgerClient,
  requests: readonly SiteRequest[],
  { plans, commit, ...options }: PlanOptions & { readonly plans: ReadonlyMap<string, string>; readonly commit: string | undefined },
): Promise<readonly Schemas['AppliedSite'][]> {
  const answers = await inTurns('applying', requests, async ({ keys, files }) => {
    const ofRequest = Object.fromEntries(keys.flatMap((key) => (plans.has(key) ? [[key, plans.get(key) ?? '']] : [])));
    const body = { files, ...options, plans: ofRequest, ...(commit !== undefined && { commit }) };
    return (await client.post('/projects/apply', { body })).data.projects;
  });
  return answers.flat();
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
