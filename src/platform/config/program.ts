import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json, which is above the sources as well as above the bundle. */
export const programFolder: string = above(import.meta.dirname);

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder));
}

/** For display; compatibility is decided by the migrations. */
export function programVersion(): string {
  const text = readFileSync(join(programFolder, 'package.json'), 'utf8');
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && 'version' in value ? String(value.version) : 'unknown';
}
