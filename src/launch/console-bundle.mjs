import { build } from 'esbuild';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BROWSERS } from './browser-bundles.mjs';
import { precompress } from './precompress.mjs';
import { root } from './prepare.mjs';

const sources = join(root, 'src', 'console');
const folder = join(root, 'dist', 'console');

/** Bundles the console: a script for the first page and one for each further page, with a hash in each name, beside their compressed forms. */
export async function bundleConsole() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(sources, 'main.tsx')],
    outdir: join(folder, 'assets'),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: BROWSERS,
    minify: true,
    metafile: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The tsconfig of the service has decorators, which the console has not.
    tsconfig: join(sources, 'tsconfig.json'),
    logLevel: 'warning',
  });
  const [[script, entry]] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx'));
  const page = readFileSync(join(sources, 'index.html'), 'utf8');
  // Chunks that the first page needs are asked for at once, not one after the other.
  const chunks = entry.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  const head = [
    `<link rel="stylesheet" href="/console/assets/${basename(entry.cssBundle)}" />`,
    ...chunks.map((path) => `<link rel="modulepreload" href="/console/assets/${basename(path)}" />`),
    `<script type="module" src="/console/assets/${basename(script)}"></script>`,
  ];
  writeFileSync(join(folder, 'index.html'), page.replace('  </head>', `    ${head.join('\n    ')}\n  </head>`));
  precompress(folder);
}
