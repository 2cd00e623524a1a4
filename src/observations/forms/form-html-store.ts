import type pg from 'pg';
import type { Sealed } from '../../kernel/event.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';

/** What an event holds of the markup. */
export interface HtmlReference {
  readonly areaId: string;
  readonly sha256: string;
}

/** Former markup is shown as of an instant as long as it is among these; concurrent changes of one group do not delete each other's. */
const KEPT_PER_AREA = 4;

const DELETE_OLDER = `DELETE FROM form_html WHERE area_id = $1
  AND sha256 NOT IN (SELECT sha256 FROM form_html WHERE area_id = $1 ORDER BY at DESC, sha256 LIMIT $2)`;

/** Content-addressed storage of the markup of saved forms, beside the log: sealed by the caller, a few versions per group. */
export class FormHtmlStore {
  constructor(private readonly db: Pick<pg.Pool, 'query'>) {}

  /** False when it was there already. */
  async keep({ areaId, sha256 }: HtmlReference, projectId: string, at: number, { sealed }: Sealed): Promise<boolean> {
    const { rows } = await this.db.query<{ added: boolean }>(
      `INSERT INTO form_html (area_id, sha256, project_id, at, sealed) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (area_id, sha256) DO UPDATE SET at = greatest(form_html.at, excluded.at) RETURNING xmax = 0 AS added`,
      [idBytes(areaId), Buffer.from(sha256, 'hex'), idBytes(projectId), at, sealed],
    );
    if (rows[0]?.added !== true) return false;
    await this.db.query(DELETE_OLDER, [idBytes(areaId), KEPT_PER_AREA]);
    return true;
  }

  /** By area. Absent: never kept, or replaced too often since. */
  async read(references: readonly HtmlReference[]): Promise<ReadonlyMap<string, string>> {
    if (references.length === 0) return new Map();
    const { rows } = await this.db.query<{ area_id: Buffer; sealed: string }>({
      name: 'form_html',
      text: `SELECT area_id, sealed FROM form_html JOIN unnest($1::bytea[], $2::bytea[]) AS wanted (area_id, sha256) USING (area_id, sha256)`,
      values: [references.map(({ areaId }) => idBytes(areaId)), references.map(({ sha256 }) => Buffer.from(sha256, 'hex'))],
    });
    return new Map(rows.map(({ area_id: areaId, sealed }) => [idText(areaId), sealed]));
  }

  async forget(areaId: string): Promise<void> {
    await this.db.query('DELETE FROM form_html WHERE area_id = $1', [idBytes(areaId)]);
  }
}
