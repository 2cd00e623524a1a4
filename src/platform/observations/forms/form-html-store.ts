import type { Sealed } from '../../../kernel/event.ts';
import { idBytes, idText } from '../packs/pack-kind.ts';
import { type ObservationDb, schemasOf } from '../schemas.ts';

/** What an event holds of the markup. */
export interface HtmlReference {
  readonly projectId: string;
  readonly areaId: string;
  readonly sha256: string;
}

/** Former markup is shown as of an instant as long as it is among these; concurrent changes of one group do not delete each other's. */
const KEPT_PER_AREA = 4;

const deleteOlder = (table: string): string => `DELETE FROM ${table} WHERE area_id = $1
  AND sha256 NOT IN (SELECT sha256 FROM ${table} WHERE area_id = $1 ORDER BY at DESC, sha256 LIMIT $2)`;

/** Content-addressed storage of the markup of saved forms, beside the log: sealed by the caller, a few versions per group. */
export class FormHtmlStore {
  constructor(private readonly db: ObservationDb) {}

  /** False when it was there already. */
  async keep({ projectId, areaId, sha256 }: HtmlReference, at: number, { sealed }: Sealed): Promise<boolean> {
    const table = schemasOf(this.db).ofProject(projectId).table('form_html');
    const { rows } = await this.db.query<{ added: boolean }>(
      `INSERT INTO ${table} AS kept (area_id, sha256, project_id, at, sealed) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (area_id, sha256) DO UPDATE SET at = greatest(kept.at, excluded.at) RETURNING xmax = 0 AS added`,
      [idBytes(areaId), Buffer.from(sha256, 'hex'), idBytes(projectId), at, sealed],
    );
    if (rows[0]?.added !== true) return false;
    await this.db.query(deleteOlder(table), [idBytes(areaId), KEPT_PER_AREA]);
    return true;
  }

  /** By area; absent when it was never kept, or replaced too often since. */
  async read(references: readonly HtmlReference[]): Promise<ReadonlyMap<string, string>> {
    const schemas = schemasOf(this.db);
    const found = [...schemas.group(references, ({ projectId }) => schemas.ofProject(projectId))].map(([schema, wanted]) =>
      this.db.query<{ area_id: Buffer; sealed: string }>({
        name: schema.statement('form_html'),
        text: `SELECT area_id, sealed FROM ${schema.table('form_html')} JOIN unnest($1::bytea[], $2::bytea[]) AS wanted (area_id, sha256) USING (area_id, sha256)`,
        values: [wanted.map(({ areaId }) => idBytes(areaId)), wanted.map(({ sha256 }) => Buffer.from(sha256, 'hex'))],
      }),
    );
    const rows = (await Promise.all(found)).flatMap((one) => one.rows);
    return new Map(rows.map(({ area_id: areaId, sealed }) => [idText(areaId), sealed]));
  }

  async forget(projectId: string, areaId: string): Promise<void> {
    const table = schemasOf(this.db).ofProject(projectId).table('form_html');
    await this.db.query(`DELETE FROM ${table} WHERE area_id = $1`, [idBytes(areaId)]);
  }
}
