import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly purl: string; readonly hashes?: readonly { readonly alg: string }[] }[];
}

const root = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };

/** `npm ci` refuses a lock file that leaves them out, as one does that was written on a machine whose registry lacks them. */
it('the lock file lists the optional packages of every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(path, name)),
  );
  expect(missing).toEqual([]);
});

/** Otherwise a registry, or an attacker in between, can replace it: also a native binding of a platform that no developer here uses. */
it('the lock file pins every package by an integrity hash', () => {
  const unpinned = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !(integrity ?? '').startsWith('sha512-'));
  expect(unpinned.map(([path]) => path)).toEqual([]);
});

it('the SBOM lists every production package with its hash, and the native programs inside them', () => {
  const printed = spawnSync(process.execPath, [join(root, 'src/operations/launch/sbom.mjs')], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { bomFormat, metadata, components } = JSON.parse(printed.stdout) as Sbom;
  expect({ bomFormat, name: metadata.component.name }).toEqual({ bomFormat: 'CycloneDX', name: 'watchledger' });
  const listed = new Map(components.map(({ purl, hashes = [] }) => [decodeURIComponent(purl), hashes]));
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const missing = production.filter(([path, { version = '' }]) => listed.get(`pkg:npm/${nameOf(path)}@${version}`)?.[0]?.alg !== 'SHA-512');
  expect(missing.map(([path]) => path)).toEqual([]);
  expect([...listed.keys()]).toEqual(
    expect.arrayContaining([expect.stringMatching(/^pkg:generic\/postgresql@\d+/), 'pkg:generic/libxml2']),
  );
});

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function isLocked(from: string, name: string): boolean {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (place in packages) return true;
  return from !== '' && isLocked(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}
