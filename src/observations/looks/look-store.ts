import type pg from 'pg';
import { type Fence, heldLeases } from '../fence.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';

/** The last look at something of a project that is looked at now and then. `finalUrl`: where a redirect ended. */
export interface Look {
  readonly projectId: string;
  readonly kind: 'certificate' | 'redirect';
  readonly at: number;
  readonly url: string;
  readonly finalUrl: string | null;
}

/** Only the last one is kept: what a look changed is an event. */
export class LookStore {
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /** False: the lease was lost, and nothing was written. */
  async accept({ name, epoch }: Fence, { projectId, kind, at, url, finalUrl }: Look): Promise<boolean> {
    const { rows } = await this.db.query<{ held: boolean }>({
      name: 'look_accept',
      text: `
        WITH held AS (${heldLeases('$1', '$2')}),
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

  async latest(kind: Look['kind'], projectIds: readonly string[]): Promise<ReadonlyMap<string, Look>> {
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
