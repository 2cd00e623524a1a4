import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

// npm run build: what `npm start` builds, and the declarations for programs that import the client or the kit of projections.
prepare('all');
run(
  process.execPath,
  [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
  'the declarations could not be made',
);
