import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SecretValues } from '../../http/site-files/secret-references.ts';

/** Values from the environment, and from files relative to the site file. */
export const localSecrets =
  (file: string, env: Readonly<Record<string, string | undefined>> = process.env): SecretValues =>
  (reference) => {
    const [, kind, name = ''] = /^(env|file):(.*)$/s.exec(reference) ?? [];
    return kind === 'env' ? (env[name] ?? null) : contentOf(resolve(dirname(file), name));
  };

/** Without its last line break; null where it cannot be read. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}
