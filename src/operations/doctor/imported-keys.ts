import type pg from 'pg';
import { isUrl } from '../../kernel/url.ts';
import { type Diagnosis, warn } from './finding.ts';

/** `import:KIND:` and an address as keys write it, perhaps behind a name; at its end a hash. */
const ADDRESS_IN_KEY = /^import:[a-z-]+:(?:[a-z0-9._-]*?-)?https?-([a-z0-9._-]+)-[0-9a-f]{8}$/;
/** A key that was cut may have lost the host behind a long sign-in. */
const CUT = 90;

/** Whether a key was made from an address with user information, which stands in it before the host (docs/import.md#keys-with-a-password). */
export function holdsSignIn(key: string, address: string): boolean {
  const [, text] = ADDRESS_IN_KEY.exec(key) ?? [];
  if (text === undefined || !isUrl(address)) return false;
  const host = new URL(address).host.toLowerCase().replaceAll(/[^a-z0-9._]+/g, '-');
  if (`${text}-`.startsWith(`${host}-`)) return false;
  return `${text}-`.includes(`-${host}-`) || text.length >= CUT;
}

interface KeyedRow {
  readonly project: string;
  readonly title: string;
  readonly url: string;
  readonly key: string;
}

/** Projects with keys of checks and groups that an import made from an address with a password: the keys are shown to every reader. */
export async function examineImportedKeys(client: pg.Client, schema: string): Promise<readonly Diagnosis[]> {
  const core = client.escapeIdentifier(schema);
  const keyed = (table: string): string =>
    `SELECT doc ->> 'projectId' AS project, doc -> 'settings' ->> 'key' AS key FROM ${core}.${table}
     WHERE doc -> 'settings' ->> 'key' LIKE 'import:%http%'`;
  const { rows } = await client.query<KeyedRow>(
    `SELECT keyed.project, keyed.key, p.doc -> 'settings' ->> 'title' AS title, p.doc -> 'settings' ->> 'url' AS url
     FROM (${keyed('"check"')} UNION ALL ${keyed('area')}) AS keyed JOIN ${core}.project AS p ON p.key = keyed.project ORDER BY title, project`,
  );
  const named = new Set(rows.filter(({ key, url }) => holdsSignIn(key, url)).map(({ project, title }) => `${title} (${project})`));
  if (named.size === 0) return [];
  return [
    warn(
      'imported keys',
      `keys of checks hold the password of an address in ${[...named].join(', ')}`,
      'change the password, and import again to make the keys anew; see "Keys with a password" in docs/import.md',
    ),
  ];
}
