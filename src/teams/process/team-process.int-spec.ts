import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TeamPackages } from '../../../test/support/team-packages.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { until } from '../../../test/support/until.ts';
import { TeamPackageRefused } from './team-process.ts';

let packages: TeamPackages;
beforeEach(async () => {
  packages = await TeamPackages.open();
});
afterEach(() => packages.close());

const PATIENCE = 60_000;
const projection = (handler: string): string =>
  `defineProjection({ name: 'one', version: 1, tables: ['CREATE TABLE one (n bigint)'], on: { ProjectRenamed: ${handler} } })`;

/** A package that does something a moment after it was loaded. */
const later = (what: string): string => `(setTimeout(() => { ${what} }, 100), ${projection('() => undefined')})`;

describe('the process of a package', () => {
  it.each<readonly [string, string, unknown]>([
    ['exits', 'process.exit(7)', 'it exited with status 7: process.exit()'],
    ['loops without end', 'for (;;);', 'it did not answer for 2 s: an endless loop, or code that computes for long without a pause'],
    ...thorough<readonly (readonly [string, string, unknown])[]>(
      [
        ['aborts', 'process.abort()', 'it aborted (SIGABRT): a crash in native code, or process.abort()'],
        ['is killed', `process.kill(process.pid, 'SIGSEGV')`, 'a crash in native code (SIGSEGV)'],
        ['leaks memory', 'const all = []; for (;;) all.push(new Array(10_000).fill(0.5));', expect.stringContaining('(TEAM_MEMORY_MB)')],
        [
          'breaks the protocol',
          `import('node:fs').then(({ writeSync }) => writeSync(3, 'x'.repeat(100) + '\\n'))`,
          'it broke off the connection to the service: a message could not be read',
        ],
      ],
      [],
    ),
  ])('%s: is started again, and the reason is known', async (_, code, reason) => {
    // On a busy machine any process answers late; only the endless loop is judged by that.
    const team = await packages.start(later(code), { memoryMb: 128, missedBeats: code === 'for (;;);' ? 2 : 60 });
    const first = team.child;
    await until(() => Promise.resolve(packages.ends.length > 0), PATIENCE, 'an end');
    expect(packages.ends[0]).toEqual(reason);
    await until(() => Promise.resolve(team.child !== null && team.child !== first), PATIENCE, 'another start');
  });

  it('is ended when its resident memory exceeds the limit', async () => {
    const leak = 'const all = []; setInterval(() => { for (let i = 0; i < 8; i++) all.push(Buffer.alloc(4_000_000, 1)); }, 20)';
    await packages.start(later(leak), { memoryMb: 256 });
    await until(() => Promise.resolve(packages.ends.length > 0), PATIENCE, 'an end');
    expect(packages.ends[0]).toMatch(/^its memory of \d+ MB exceeds the limit of 256 MB \(TEAM_MEMORY_MB\)$/);
  });

  it('continues after an error that no code waits for, which is reported', async () => {
    const team = await packages.start(later(`void Promise.reject(new Error('left alone')); throw new Error('thrown in a timer')`));
    await until(() => Promise.resolve(packages.uncaught.length === 2), PATIENCE, 'both errors');
    expect(packages.uncaught.toSorted()).toEqual(['left alone', 'thrown in a timer']);
    expect(team.child).not.toBeNull();
    expect(packages.ends).toEqual([]);
  });

  it('sees the variables that it is given, and prints lines that are bounded in length and rate', async () => {
    const code = `console.log(JSON.stringify(Object.keys(process.env))); for (let i = 0; i < 500; i++) console.error('x'.repeat(5_000));`;
    await packages.start(later(code), { env: { LANG: 'C' } });
    await until(() => Promise.resolve(packages.output.length > 40), PATIENCE, 'its output');
    expect(JSON.parse(packages.output[0] ?? '')).toEqual(['PATH', 'LANG']);
    expect(packages.output.length).toBeLessThan(110);
    expect(Math.max(...packages.output.map(({ length }) => length))).toBe(2_000);
  });

  it('ends when the service lets go of it, also while it is busy', async () => {
    const team = await packages.start(later('for (;;);'));
    await team.close();
    expect(team.child).toBeNull();
    expect(packages.ends).toEqual([]);
  });
});

describe('a package', () => {
  const fake = (name: string): string =>
    `{ kind: 'projection', name: '${name}', version: 1, tables: [], handles: new Set(['ProjectRenamed']) }`;

  it('is a file with one projection, a list, or projections and a module', async () => {
    const one = await packages.load(await packages.write('one.js', `export default ${fake('one')};`));
    const more = await packages.load(
      await packages.write('more.js', `export default { projections: [${fake('two')}, ${fake('three')}], module: class {} };`),
    );
    expect([one, more].map(({ manifest }) => manifest.projections.map(({ name }) => name))).toEqual([['one'], ['two', 'three']]);
  });

  it.each([
    ['exports no projection', 'export default 7;', './bad.js does not export projections'],
    ['is no module', 'export default {', 'PROJECTIONS names ./bad.js, which cannot be loaded: '],
    ['ends the process', 'process.exit(3);', 'which cannot be loaded: the process of ./bad.js ended: it exited with status 3'],
    ['names a schema with a quote', `export default ${fake('a"b')};`, 'a name consists of lower-case letters'],
    ['handles an unknown event', `export default { ...${fake('one')}, handles: new Set(['Nothing']) };`, '"Nothing" is not an event type'],
  ])('is refused when it %s', async (_, source, reason) => {
    const refusal = packages.load(await packages.write('bad.js', source));
    await expect(refusal).rejects.toThrow(reason);
    await expect(refusal).rejects.toBeInstanceOf(TeamPackageRefused);
  });

  it('is not loaded again after it was changed, until the service starts again', async () => {
    const file = await packages.write('one.js', `setTimeout(() => process.exit(1), 500); export default ${fake('one')};`);
    await packages.load(file);
    await packages.write('one.js', `export default ${fake('another')};`);
    await until(() => Promise.resolve(packages.ends.length > 1), PATIENCE, 'two ends');
    expect(packages.ends[1]).toBe('the package was changed while the service runs: restart the service to load it');
  });
});
