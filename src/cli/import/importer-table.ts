import type { Importer } from './importer.ts';
import { gatusImporter } from './kinds/gatus.importer.ts';
import { sitemapImporter } from './kinds/sitemap.importer.ts';
import { uptimeKumaImporter } from './kinds/uptime-kuma.importer.ts';
import { urlsImporter } from './kinds/urls.importer.ts';

/** docs/spec/beyond.md#B11: each kind is a row here and a file. */
export const importerTable: Readonly<Record<string, Importer>> = {
  'uptime-kuma': uptimeKumaImporter,
  gatus: gatusImporter,
  urls: urlsImporter,
  sitemap: sitemapImporter,
};
