import type { Config } from '../../platform/config/config.ts';
import { type Recomputation, runRecomputation } from '../../platform/http/context/recomputation.ts';
import { openHttpServer, startHttpServer } from '../http-server.ts';
import { Lifecycle } from '../../kernel/lifecycle.ts';
import { accountView } from '../../accounts/account.view.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { AppModule } from '../app.module.ts';
import type { Resources } from '../resources.ts';
import { PresentViews } from './present-views.ts';

/** A GET as a receipt states it. */
export interface StatedRequest {
  /** Host and port that the client asked, which addresses in the answer may have. */
  readonly authority: string;
  /** Path and query. */
  readonly target: string;
  readonly account: number;
  readonly position: number;
  readonly rightsAsOf: number;
  /** Milliseconds: "now" in the answer. */
  readonly at: number;
}

export interface RecomputedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/** Answers a GET again by the code that answers it in the service, which opens no port here; null where the log knows no such account. Writes nothing. */
export async function recomputeAnswer(config: Config, resources: Resources, asked: StatedRequest): Promise<RecomputedAnswer | null> {
  const views = viewsOf(resources.views, asked.rightsAsOf);
  const principal = await principalOf(views, asked.account);
  if (principal === null) return null;
  const quiet: Config = { ...config, roles: ['api'], metricsPort: undefined, corsOrigins: [] };
  const app = await openHttpServer(AppModule.forRoot(quiet, { ...resources, views }, new Lifecycle()), quiet, resources.logger);
  try {
    await startHttpServer(app, quiet);
    await app.getHttpAdapter().getInstance().ready();
    return await runRecomputation({ principal, n: asked.position, at: asked.at }, async () => {
      // Awaited here: the request begins when its answer is awaited.
      const { statusCode, headers, rawPayload } = await app.inject({
        method: 'GET',
        url: asked.target,
        headers: { host: asked.authority },
      });
      return { status: statusCode, type: String(headers['content-type'] ?? ''), body: rawPayload };
    });
  } finally {
    await app.close();
  }
}

/** The present of the request is the position at which its rights were read. */
function viewsOf(views: ViewsAt, position: number): ViewsAt {
  const present = new PresentViews(views, position);
  return { now: () => present, asOf: (n) => views.asOf(n), snapshot: (work) => work(present) };
}

/** The caller as it was then. That it was let in, the receipt shows: it is of a 200. */
async function principalOf(views: ViewsAt, account: number): Promise<Recomputation['principal'] | null> {
  const row = await views.now().get(accountView, String(account));
  if (row === null) return null;
  const { plan, systemRole } = row;
  return {
    userId: account,
    tokenId: 'recompute',
    kind: 'user',
    signedInAt: null,
    confirmed: true,
    hasFactor: true,
    plan,
    systemRole,
    limits: null,
  };
}
