import { type FencingToken, raisedFences } from '../fences.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { type ObservationDb, schemasOf } from '../schemas.ts';

/** The latest inspection of a project's certificate or redirect. `finalUrl`: where the redirect ended. */
export interface Inspection {
  readonly projectId: string;
  readonly kind: 'certificate' | 'redirect';
  readonly at: number;
  readonly url: string;
  readonly finalUrl: string | null;
}

/** Keeps the latest inspection only, because every change that one finds is an event. */
export class InspectionStore {
  constructor(private readonly db: ObservationDb) {}

  /** False when the lease was lost and nothing was written. */
  async accept({ name, epoch }: FencingToken, { projectId, kind, at, url, finalUrl }: Inspection): Promise<boolean> {
    const schema = schemasOf(this.db).ofProject(projectId);
    const { rows } = await this.db.query<{ held: boolean }>({
      name: schema.statement('look_accept'),
      text: `
        WITH held AS (${raisedFences('$1', '$2', schema.table('observation_fence'))}),
        look AS (
          INSERT INTO ${schema.table('latest_look')} AS latest (project_id, kind, at, url, final_url)
          SELECT $3, $4, $5, $6, $7 WHERE EXISTS (SELECT FROM held)
          ON CONFLICT (project_id, kind) DO UPDATE SET at = excluded.at, url = excluded.url, final_url = excluded.final_url
          WHERE excluded.at >= latest.at
        )
        SELECT EXISTS (SELECT FROM held) AS held`,
      values: [[name], [epoch], idBytes(projectId), kind, at, url, finalUrl],
    });
    return rows[0]?.held === true;
  }

  async latest(kind: Inspection['kind'], projectIds: readonly string[]): Promise<ReadonlyMap<string, Inspection>> {
    const schemas = schemasOf(this.db);
    const found = [...schemas.group(projectIds, (id) => schemas.ofProject(id))].map(([schema, ids]) =>
      this.db.query<{ project_id: Buffer; at: string; url: string; final_url: string | null }>({
        name: schema.statement('latest_looks'),
        text: `SELECT project_id, at, url, final_url FROM ${schema.table('latest_look')} WHERE kind = $1 AND project_id = ANY ($2::bytea[])`,
        values: [kind, ids.map(idBytes)],
      }),
    );
    return new Map(
      (await Promise.all(found))
        .flatMap(({ rows }) => rows)
        .map((row) => {
          const projectId = idText(row.project_id);
          return [projectId, { projectId, kind, at: Number(row.at), url: row.url, finalUrl: row.final_url }];
        }),
    );
  }
}
