import * as module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

prepare();
// From Node 22 on, later starts load the compiled code of the first one.
module.enableCompileCache?.(join(root, 'node_modules', '.cache', 'compiled'));
await import(pathToFileURL(join(root, 'dist', 'main.js')).href);
