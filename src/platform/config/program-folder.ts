import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where package.json is: above the sources as well as above the bundle. */
export const programFolder: string = above(import.meta.dirname);

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder));
}
