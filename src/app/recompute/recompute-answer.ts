import type { Config } from '../../platform/config/config.ts';
import { type Recomputation, runRecomputation } from '../../platform/http/context/recomputation.ts';
import { openHttpServer, startHttpServer } from '../http-server.ts';
import { Lifecycle } from '../../kernel/lifecycle.ts';
import { accountView } from '../../accounts/account.view.ts';
import type { ViewsAt, ListItem, ListQuery, ParkedRows, RowsOf, Views } from '../../platform/read-models/views/views.ts';
import { AppModule } from '../app.module.ts';
import type { Resources } from '../resources.ts';
import type { Columns, View } from '../../platform/read-models/authoring/define-view.ts';
import { listRows } from '../../platform/read-models/views/list-rows.ts';

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

/**
 * An earlier position as the present of a request that is answered again. A list over all projects chooses from those that exist today, as they were then:
 * the log has no index of its scopes.
 */
class PresentViews implements Views {
  private readonly then: Views;

  constructor(
    private readonly views: ViewsAt,
    private readonly n: number,
  ) {
    this.then = views.asOf(n);
  }

  position(): number {
    return this.n;
  }

  prefetch(scope: string, views: readonly View[]): void {
    this.then.prefetch(scope, views);
  }

  get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    return this.then.get(view, key);
  }

  across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    return this.then.across(views, key);
  }

  many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>> {
    return this.then.many(view, keys, parked);
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    if (query.scope !== undefined) return this.then.list(view, query);
    const today = await this.views.now().list(view, { parked: 'as before' });
    const keys = today.map(({ key }) => key);
    const [rows, ...also] = await Promise.all([
      this.then.many(view, keys, query.parked),
      ...(query.also ?? []).map(async (other) => [other.view, await this.then.many(other.view, keys, 'as before')] as const),
    ]);
    const items = [...rows].map(([key, row]) => ({ key, row }));
    const others = new Map<View, ReadonlyMap<string, object>>(also);
    // Cast: rows of the view.
    return listRows(view, items, query, (other) => others.get(other) ?? new Map()) as readonly ListItem<Row>[];
  }

  async count<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query: ListQuery<Extras>): Promise<number> {
    return (await this.list(view, query)).length;
  }

  firsts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    groups: readonly string[],
    query: Pick<ListQuery<Extras>, 'scope' | 'also' | 'order' | 'parked'>,
  ): Promise<ReadonlyMap<string, Row>> {
    return this.then.firsts(view, column, groups, query);
  }

  counts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    values: readonly string[],
    scope: string,
  ): Promise<ReadonlyMap<string, number>> {
    return this.then.counts(view, column, values, scope);
  }
}
