import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefused } from '../kernel/start-refused.ts';
import { importOrigin } from './import-key.ts';
import type { ImportResult } from './import-result.ts';
import type { ImportedSite } from './imported-site.ts';
import { siteYaml } from './site-yaml.ts';

const SECRETS = 'secrets.env';

export interface WrittenSites {
  readonly files: readonly string[];
  /** Null where the source has no secrets. */
  readonly secretsFile: string | null;
  /** Bodies of `PUT /project/{id}/imported-uptime`. */
  readonly historyFiles: readonly string[];
}

/** A file for each site, named by its key, one for each status page, one for what its source measured, and one that only its owner reads with the values of secrets. */
export function writeSites(folder: string, kind: string, { sites, pages, secrets, histories }: ImportResult): WrittenSites {
  const comment = `Imported by watchledger import ${kind}`;
  const files = [
    ...sites.map((site) => ({ path: join(folder, `${idOf(site)}.yaml`), written: site, line: `key: ${site.key}` })),
    ...pages.map((page) => {
      const { slug } = page.statusPage;
      return { path: join(folder, `status-page-${slug}.yaml`), written: page, line: `  slug: ${slug}` };
    }),
  ];
  for (const { path, line } of files) refuseToReplaceOther(path, line);
  mkdirSync(folder, { recursive: true });
  const secretsFile = secrets.values.size + secrets.unknownNames.size === 0 ? null : join(folder, SECRETS);
  if (secretsFile !== null) {
    // The mode counts for a new file only.
    writeFileSync(secretsFile, '', { mode: 0o600 });
    writeFileSync(secretsFile, secrets.asShellVariables());
  }
  for (const { path, written } of files) writeFileSync(path, siteYaml(written, comment));
  const historyFiles = sites.flatMap((site) => {
    const history = histories.get(site.key);
    if (history === undefined) return [];
    const path = join(folder, `${idOf(site)}.history.json`);
    writeFileSync(path, `${JSON.stringify({ origin: importOrigin(kind), ...history })}\n`);
    return [path];
  });
  return { files: files.map(({ path }) => path), secretsFile, historyFiles };
}

const idOf = ({ key }: ImportedSite): string => key.slice(key.lastIndexOf(':') + 1);

/** A second import replaces the files of the first, and no others. */
function refuseToReplaceOther(path: string, line: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').includes(`\n${line}\n`))
    throw new StartRefused(`${path}: exists and is not of an earlier import of ${line.replace(/^.*: /, '')}`);
}
