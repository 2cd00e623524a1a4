import type { ImportFindings } from './findings.ts';
import type { ImportSource } from './import-source.ts';
import type { SourceStatusPage } from './imported-status-page.ts';
import type { Monitor } from './monitor.ts';
import type { SourceSecrets } from './source-secrets.ts';
import type { SettingRows } from './setting-rows.ts';
import type { ImportedSite } from './imported-site.ts';

/** What a source contains: monitors, from which sites are made by their hosts, or sites as they are. */
export type ImportContents =
  | { readonly monitors: readonly Monitor[]; readonly pages?: readonly SourceStatusPage[] }
  | { readonly sites: readonly ImportedSite[] };

export interface ReadContext {
  readonly findings: ImportFindings;
  readonly secrets: SourceSecrets;
}

/** A product whose settings can be imported: a file in `kinds/` and a row of the table. */
export interface Importer {
  /** As its makers spell it. */
  readonly product: string;
  /** What SOURCE is, such as `the file kuma.db`. */
  readonly source: string;
  /** What becomes of each setting. */
  readonly settings: SettingRows;
  readonly read: (source: ImportSource, context: ReadContext) => ImportContents | Promise<ImportContents>;
}
