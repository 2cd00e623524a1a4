import type { Importer } from './importer.ts';
import { apiImporter } from './kinds/api.importer.ts';
import { betterStackImporter } from './kinds/better-stack.importer.ts';
import { blackboxImporter } from './kinds/blackbox.importer.ts';
import { checklyImporter } from './kinds/checkly.importer.ts';
import { gatusImporter } from './kinds/gatus.importer.ts';
import { sitemapImporter } from './kinds/sitemap.importer.ts';
import { uptimeKumaImporter } from './kinds/uptime-kuma.importer.ts';
import { uptimeRobotImporter } from './kinds/uptimerobot.importer.ts';
import { urlsImporter } from './kinds/urls.importer.ts';

/** docs/spec/beyond.md#B11: each kind is a row here and a file. */
export const importerTable: Readonly<Record<string, Importer>> = {
  api: apiImporter,
  'uptime-kuma': uptimeKumaImporter,
  gatus: gatusImporter,
  blackbox: blackboxImporter,
  checkly: checklyImporter,
  'better-stack': betterStackImporter,
  uptimerobot: uptimeRobotImporter,
  urls: urlsImporter,
  sitemap: sitemapImporter,
};
