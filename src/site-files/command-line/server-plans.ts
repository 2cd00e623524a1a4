import { ApiError } from '../../client/api-error.ts';
import type { WatchledgerClient } from '../../client/client.ts';
import type { Schemas } from '../../client/types.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { SecretValues } from '../secret-references.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { RequestFilling, type SentSite, type SiteRequest } from './site-requests.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { Progress } from '../../platform/cli/progress.ts';

/** At a time: one is parsed while another is planned. */
const AT_ONCE = 2;

/** Sends requests of sites as they come, and none after one that failed. */
class RequestTurns<Answer> {
  private readonly limit = new ConcurrencyLimit(AT_ONCE);
  private readonly progress: Progress;
  private readonly running: Promise<readonly Answer[]>[] = [];
  private readonly failures: unknown[] = [];
  private isAbandoned = false;
  private done = 0;

  constructor(
    label: string,
    /** How many sites there will be. */
    private readonly expected: number,
    private readonly post: (request: SiteRequest) => Promise<Answer>,
  ) {
    this.progress = new Progress(label, process.stderr, () => performance.now(), 'sites');
  }

  send(request: SiteRequest): void {
    this.progress.report(this.done, this.expected);
    this.running.push(this.limit.run(() => this.answer(request)));
  }

  /** In the order in which the requests were sent. */
  async answers(): Promise<readonly Answer[]> {
    try {
      const answers = (await Promise.all(this.running)).flat();
      if (this.failures.length > 0) throw this.failures[0];
      return answers;
    } finally {
      this.progress.end();
    }
  }

  /** Sends nothing more; what is under way ends by itself. */
  abandon(): void {
    this.isAbandoned = true;
    this.progress.end();
  }

  private async answer(request: SiteRequest): Promise<readonly Answer[]> {
    if (this.isAbandoned || this.failures.length > 0) return [];
    try {
      const answer = await this.post(request);
      this.done += request.keys.length;
      if (!this.isAbandoned) this.progress.report(this.done, this.expected);
      return [answer];
    } catch (error) {
      this.failures.push(error);
      return [];
    }
  }
}

export interface PlanOptions {
  readonly prune: 'none' | 'some' | 'all';
  readonly keepSecrets: boolean;
}

export interface PlannedDocuments {
  readonly projects: readonly Schemas['SitePlan'][];
  readonly statusPages: readonly Schemas['StatusPagePlan'][];
}

export interface AppliedDocuments {
  readonly projects: readonly Schemas['AppliedSite'][];
  readonly statusPages: readonly Schemas['AppliedStatusPage'][];
}

/** Plans sites and status pages while others are still read: a plan only reads, so one that is not needed in the end is harmless. */
export class SitePlanning {
  private readonly filling: RequestFilling;
  private readonly requests: RequestTurns<Schemas['SitePlans']>;
  private readonly added = new Set<string>();

  constructor(
    client: WatchledgerClient,
    /** By the file of a site. */
    valuesOf: (file: string) => SecretValues,
    options: PlanOptions & { readonly history?: string | undefined },
    /** How many sites there will be, for the progress. */
    expected: number,
  ) {
    this.filling = new RequestFilling(valuesOf, options.keepSecrets);
    this.requests = new RequestTurns('planning', expected, ({ files }) => planOf(client, files, options));
  }

  add(site: SentSite): void {
    if (this.added.has(site.key)) return;
    this.added.add(site.key);
    const full = this.filling.add(site);
    if (full !== null) this.requests.send(full);
  }

  /** Answers the plans of these sites in their order, and adds those that were not added yet. */
  async plans(sites: readonly SentSite[]): Promise<PlannedDocuments> {
    try {
      for (const site of sites) this.add(site);
      for (const request of this.filling.rest()) this.requests.send(request);
    } catch (error) {
      this.abandon();
      throw error;
    }
    const answers = await this.requests.answers();
    const order = new Map(sites.map(({ key }, index) => [key, index]));
    const made = new Set(order.keys());
    return {
      projects: answers
        .flatMap(({ projects }) => projects)
        .toSorted((one, other) => (order.get(one.key) ?? 0) - (order.get(other.key) ?? 0)),
      statusPages: answers.flatMap(({ statusPages }) => statusPages.map((page) => withoutStrangers(page, made))),
    };
  }

  abandon(): void {
    this.requests.abandon();
  }
}

async function planOf(
  client: WatchledgerClient,
  files: SiteRequest['files'],
  { history, ...options }: PlanOptions & { readonly history?: string | undefined },
): Promise<Schemas['SitePlans']> {
  const body = { files, ...options, ...(history !== undefined && { history }) };
  const { data } = await unlessOlder(client.post('/projects/plan', { body }));
  const [problem] = data.problems;
  if (problem !== undefined) throw new StartRefused(`${problem.file}: ${problem.message}; is the server older than this command?`);
  return data;
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

interface ApplyingOptions extends PlanOptions {
  readonly plans: ReadonlyMap<string, string>;
  readonly commit: string | undefined;
}

/** Carries the plans out, those of status pages after the projects that they show; a request that was not answered is repeated, which is harmless. */
export async function applied(
  client: WatchledgerClient,
  requests: readonly SiteRequest[],
  { plans, commit, ...options }: ApplyingOptions,
): Promise<AppliedDocuments> {
  return interruptible(async (signal) => {
    let answered = 0;
    const apply = (some: readonly SiteRequest[]): Promise<readonly AppliedDocuments[]> =>
      answersTo(some, async ({ keys, files }) => {
        const ofRequest = Object.fromEntries(keys.flatMap((key) => (plans.has(key) ? [[key, plans.get(key) ?? '']] : [])));
        const body = { files, ...options, plans: ofRequest, ...(commit !== undefined && { commit }) };
        const { data } = await client.post('/projects/apply', { body, signal });
        answered += keys.length;
        return data;
      });
    try {
      const ofSites = await apply(requests.filter(({ isOfPages }) => !isOfPages));
      const ofPages = await apply(requests.filter(({ isOfPages }) => isOfPages));
      return { projects: ofSites.flatMap(({ projects }) => projects), statusPages: ofPages.flatMap(({ statusPages }) => statusPages) };
    } catch (error) {
      if (!signal.aborted) throw error;
      const total = requests.reduce((sum, { keys }) => sum + keys.length, 0);
      throw new StartRefused(
        `interrupted when the server had answered ${String(answered)} of ${String(total)} changes; it may have made some of the others, too. The same command completes them.`,
        { cause: error },
      );
    }
  });
}

function answersTo<Answer>(requests: readonly SiteRequest[], post: (request: SiteRequest) => Promise<Answer>): Promise<readonly Answer[]> {
  const turns = new RequestTurns(
    'applying',
    requests.reduce((sum, { keys }) => sum + keys.length, 0),
    post,
  );
  for (const request of requests) turns.send(request);
  return turns.answers();
}

/** A server without plans does not know the path; another program answers without a code. */
async function unlessOlder<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (
      error instanceof ApiError &&
      (error.errorCode === 'ROUTE_NOT_FOUND' || (error.status === 404 && error.body.errorCode === undefined))
    )
      throw new StartRefused(
        'the server does not plan site files: it is older than this command, or the address is not that of a service',
        { cause: error },
      );
    throw error;
  }
}
