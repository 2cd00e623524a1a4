import { register } from 'node:module';
import type { Here } from './import-hooks.ts';

let prepared = false;

/** From here on files of teams can be imported as they are. Once a process; a test runner has a loader of its own. */
export function prepareImports(): void {
  if (prepared || import.meta.url.endsWith('.ts')) return;
  prepared = true;
  const data: Here = { kit: new URL('../../projection.js', import.meta.url).href, root: import.meta.url };
  register('./import-hooks.js', import.meta.url, { data });
}
