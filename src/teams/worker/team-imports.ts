import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programFolder } from '../../platform/config/program.ts';
import type { ServiceUrls } from './import-hooks.ts';

/** The bundle of each package that exists once in a process: Nest compares classes by identity. */
const SHARED = {
  'watchledger/projection': 'projection.js',
  '@nestjs/common': 'nestjs-common.js',
  '@nestjs/core': 'nestjs-core.js',
  '@nestjs/cqrs': 'nestjs-cqrs.js',
};

let isPrepared = false;

/** Registers the import hooks for files of teams, once per process; without the bundle, as in tests of the sources, there are none. */
export function prepareImports(): void {
  if (isPrepared || !existsSync(new URL('./import-hooks.js', import.meta.url))) return;
  isPrepared = true;
  const bundle = (name: string): string => pathToFileURL(join(programFolder, 'dist', name)).href;
  const shared = Object.fromEntries(Object.entries(SHARED).map(([name, file]) => [name, bundle(file)]));
  const data: ServiceUrls = { shared, root: import.meta.url };
  register('./import-hooks.js', import.meta.url, { data });
}
