import { build } from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { BROWSERS } from '../client/bundle.mjs';
import { precompress } from '../operations/launch/precompress.mjs';
import { root } from '../operations/launch/prepare.mjs';

const sources = join(root, 'src', 'console');
const folder = join(root, 'dist', 'console');

/** The files that others import when they are needed. */
function laterFiles() {
  const files = readdirSync(sources, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(sources, name));
  return new Set(
    files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, path]) => resolve(dirname(file), path)),
    ),
  );
}

/**
 * What the first page needs is one file: the bundler is made to see that each later file needs all of it, because it would split off every part that only
 * some of them need, and the first page would ask for twenty files.
 */
const oneFirstFile = {
  name: 'one first file',
  setup: ({ onLoad }) => {
    const [later, first] = [laterFiles(), join(sources, 'frame', 'app.tsx')];
    onLoad({ filter: /\.tsx?$/ }, ({ path }) =>
      later.has(path) ? { contents: `import ${JSON.stringify(first)};\n${readFileSync(path, 'utf8')}`, loader: 'tsx' } : undefined,
    );
  },
};

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
    plugins: [oneFirstFile],
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
