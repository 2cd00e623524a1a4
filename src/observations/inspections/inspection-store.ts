import type pg from 'pg';
import { type FencingToken, raisedFences } from '../fences.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';

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
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /** False when the lease was lost and nothing was written. */
  async accept({ name, epoch }: FencingToken, { projectId, kind, at, url, finalUrl }: Inspection): Promise<boolean> {
    const { rows } = await this.db.query<{ held: boolean }>({
      name: 'look_accept',
      text: `
        WITH held AS (${raisedFences('$1', '$2')}),
        look AS (
          INSERT INTO latest_look (project_id, kind, at, url, final_url)
          SELECT $3, $4, $5, $6, $7 WHERE EXISTS (SELECT FROM held)
          ON CONFLICT (project_id, kind) DO UPDATE SET at = excluded.at, url = excluded.url, final_url = excluded.final_url
          WHERE excluded.at >= latest_look.at
        )
        SELECT EXISTS (SELECT FROM held) AS held`,
      values: [[name], [epoch], idBytes(projectId), kind, at, url, finalUrl],
    });
    return rows[0]?.held === true;
  }

  async latest(kind: Inspection['kind'], projectIds: readonly string[]): Promise<ReadonlyMap<string, Inspection>> {
    const { rows } = await this.db.query<{ project_id: Buffer; at: string; url: string; final_url: string | null }>({
      name: 'latest_looks',
      text: 'SELECT project_id, at, url, final_url FROM latest_look WHERE kind = $1 AND project_id = ANY ($2::bytea[])',
      values: [kind, projectIds.map(idBytes)],
    });
    return new Map(
      rows.map((row) => {
        const projectId = idText(row.project_id);
        return [projectId, { projectId, kind, at: Number(row.at), url: row.url, finalUrl: row.final_url }];
      }),
    );
  }
}
