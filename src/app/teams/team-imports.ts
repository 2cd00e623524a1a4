import { register } from 'node:module';
import type { ServiceUrls } from './import-hooks.ts';

let isPrepared = false;

/** Registers the import hooks for files of teams, once per process; test runners have their own loader. */
export function prepareImports(): void {
  if (isPrepared || import.meta.url.endsWith('.ts')) return;
  isPrepared = true;
  const data: ServiceUrls = { kit: new URL('../../projection.js', import.meta.url).href, root: import.meta.url };
  register('./import-hooks.js', import.meta.url, { data });
}
