import { dirname, resolve } from 'node:path';
import type { SecretValues } from '../secret-references.ts';
import { boundedFile } from '../../platform/cli/bounded-file.ts';

const MAX_MIB = 1;

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
    return boundedFile(path, MAX_MIB)
      .toString()
      .replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}
