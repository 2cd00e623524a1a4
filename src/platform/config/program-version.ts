import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFolder } from './program-folder.ts';

/** For display; compatibility is decided by the migrations. */
export function programVersion(): string {
  const text = readFileSync(join(programFolder, 'package.json'), 'utf8');
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && 'version' in value ? String(value.version) : 'unknown';
}
