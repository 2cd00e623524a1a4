import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

// Whether the product stands without a capability (docs/decisions/house.md): in a copy of the tree its folder is taken out, with the rows of the composition
// root that name it and the tests that import it. What is left must compile, pass the unit tests of the other capabilities, start, and answer.

const root = join(import.meta.dirname, '..');
/** Each with those that stand on it, which go as well. */
export const MAY_GO = {
  import: ['import'],
  'site-files': ['site-files', 'import'],
  console: ['console'],
  streams: ['streams'],
  'proof/receipts': ['proof/receipts'],
  'proof/statement': ['proof/statement', 'console'],
  teams: ['teams', 'projection.ts'],
  'status-pages': ['status-pages', 'site-files', 'import'],
};
const TEST = /\.(spec|int-spec|release-spec|contract)\.tsx?$|^(test|bench|examples)\//;
/** Where the capabilities are listed. */
const LISTS =
  /^(src\/(app\/(?!.*spec\.ts$)|events\.ts$|history\/summary\.ts$|proof\/command-line\/verify-file\.ts$|operations\/launch\/)|test\/samples\/samples\.ts$|tsconfig\.build\.json$)/;
/** What is said of the whole product is not true of a part of it: these compare a list with all of its routes or events. */
const OF_THE_WHOLE = [
  ...['app/', 'platform/http/(description|errors)/', 'platform/http/as-of/as-of-routes', 'history/schemas/event-schema-reading'],
  ...['console/timeline/event-kinds', 'site-files/batch/batch-operations'],
];
const UNITS = `src/(?!${OF_THE_WHOLE.join('|')}).*`;
const START_MS = 60_000;

export async function without(name) {
  const gone = MAY_GO[name];
  if (gone === undefined) throw new Error(`--without: must be one of ${Object.keys(MAY_GO).join(', ')}`);
  const copy = mkdtempSync(join(tmpdir(), `without-${name.replaceAll('/', '-')}-`));
  try {
    // The embedded Postgres runs under a user of its own.
    chmodSync(copy, 0o755);
    const files = copyOf(copy);
    takeOut(copy, files, gone);
    // An import that only a row used may stay, as it breaks nothing.
    node(copy, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false']);
    node(copy, ['src/operations/launch/build.mjs']);
    node(copy, [
      ...['node_modules/jest/bin/jest.js', '-c', '.ci/jest.config.js', '--selectProjects', 'unit', '--silent', '--maxWorkers=2'],
      ...['--testPathPatterns', `${copy}/${UNITS}`],
    ]);
    await answers(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyOf(copy) {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = stdout.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return files;
}

function takeOut(copy, files, gone) {
  const isOf = (path) => gone.some((one) => path === `src/${one}` || path.startsWith(`src/${one}/`));
  const left = new Map();
  const events = new Set();
  for (const file of files) {
    if (isOf(file) && file.endsWith('.events.ts'))
      for (const [, type] of readFileSync(join(copy, file), 'utf8').matchAll(/^  ([A-Z]\w+): /gm)) events.add(type);
    if (isOf(file) || gone.some((one) => file.startsWith(`test/acceptance/${one}/`))) rmSync(join(copy, file));
    else if (/\.(tsx?|mjs)$/.test(file) || LISTS.test(file)) left.set(file, readFileSync(join(copy, file), 'utf8'));
  }
  const removed = (path) => isOf(path) || !(left.has(path) || existsSync(join(copy, path)));
  for (let size = 0; size !== left.size;) {
    size = left.size;
    for (const [file, text] of left)
      if (TEST.test(file) && !LISTS.test(file) && importsOf(file, text).some(removed)) {
        rmSync(join(copy, file));
        left.delete(file);
      }
  }
  for (const [file, text] of left) if (LISTS.test(file)) writeFileSync(join(copy, file), withoutRows(file, text, isOf, events));
}

/** Of the names of packages, those of the kit that packages of teams are written with. */
const importsOf = (file, text) =>
  [...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(watchledger\/projection|\.{1,2}\/[^']+)'/g)].map(([, path]) =>
    path.startsWith('.') ? normalize(join(dirname(file), path)) : 'src/projection.ts',
  );

/** A row is the element of a list, the member of an object, the type that an interface extends, or a statement that calls what was imported. */
function withoutRows(file, text, isOf, events) {
  if (file.endsWith('.json')) return text.replaceAll(/"([^"]+)",? ?/g, (row, path) => (isOf(path) ? '' : row));
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const names = new Set();
  const cuts = new Set();
  const isGone = (specifier) => specifier !== undefined && isOf(normalize(join(dirname(file), specifier)));
  for (const statement of source.statements)
    if (ts.isImportDeclaration(statement) && isGone(statement.moduleSpecifier.text)) {
      const { name, namedBindings } = statement.importClause ?? {};
      for (const binding of [name, ...(namedBindings?.elements?.map((element) => element.name) ?? [namedBindings?.name])])
        if (binding !== undefined) names.add(binding.text);
      cuts.add(statement);
    }
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    const isUsed = ts.isIdentifier(node) && names.has(node.text) && !(ts.isPropertyAssignment(node.parent) && node.parent.name === node);
    const isLoaded = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && isGone(node.arguments[0].text);
    // An entry of the bundle names a file below src.
    const isEntry = file.endsWith('.mjs') && ts.isStringLiteral(node) && isOf(`src/${node.text}`);
    const isSample = ts.isPropertyAssignment(node) && events.has(node.name.text);
    if (isUsed || isLoaded || isEntry || isSample) cuts.add(isSample ? node : rowOf(node, file));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...cuts]
    .filter((cut) => !isWithin(cut.parent, cuts))
    .toSorted((one, other) => other.getFullStart() - one.getFullStart())
    .reduce((rest, cut) => {
      const after = /^\s*,/.exec(rest.slice(cut.end))?.[0].length ?? 0;
      return rest.slice(0, cut.getFullStart()) + rest.slice(cut.end + after);
    }, text);
}

const isWithin = (node, cuts) => node !== undefined && (cuts.has(node) || isWithin(node.parent, cuts));

function rowOf(node, file) {
  for (let row = node; row.parent !== undefined; row = row.parent) {
    const { parent } = row;
    if (ts.isArrayLiteralExpression(parent) || ts.isHeritageClause(parent)) return row;
    if (ts.isObjectLiteralExpression(parent)) {
      // Of a row that is an object, one member names it.
      if (ts.isSpreadAssignment(row)) return row;
      if (ts.isArrayLiteralExpression(parent.parent)) return parent;
      return ts.isPropertyAssignment(parent.parent) ? parent.parent : row;
    }
    if (ts.isExpressionStatement(row)) return row;
  }
  throw new Error(`${file}: ${node.getText()} stands in no row`);
}

function node(copy, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${args[0]} ended with ${String(status)}\n${`${stdout}${stderr}`.slice(-8_000)}`);
}

/** Starts the program on embedded defaults. */
async function answers(copy) {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: copy,
    env: { ...process.env, PORT: String(port), DATA_DIR: join(copy, 'data'), HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  child.stdout.on('data', (chunk) => said.push(chunk));
  child.stderr.on('data', (chunk) => said.push(chunk));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    for (const end = Date.now() + START_MS; ; await new Promise((resolve) => setTimeout(resolve, 250))) {
      const ready = await fetch(`http://127.0.0.1:${String(port)}/health/ready`).catch(() => null);
      if (ready?.status === 200) return;
      if (child.exitCode !== null || Date.now() > end) throw new Error(`does not start:\n${Buffer.concat(said).toString()}`);
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
