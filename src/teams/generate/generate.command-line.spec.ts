import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommandLine } from '../../app/run-command-line.ts';

/** Holds the generator's output, which is checked, formatted and tested like all other code. */
const WRITTEN = resolve(import.meta.dirname, '../../../examples/generated');

let folder: string;
let output: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-generate-'));
  output = [];
});
afterEach(() => rm(folder, { recursive: true }));

const say = (line: string): void => void output.push(line);
const generate = (...args: string[]): Promise<number> =>
  runCommandLine(['generate', 'projection', ...args, '--folder', folder], { out: say, err: say });

describe('watchledger generate projection', () => {
  it.each(['first_look', 'first-look'])('writes %s and its test, and prints the next steps', async (name) => {
    expect(await generate(name)).toBe(0);
    expect((await readdir(folder)).toSorted()).toEqual(['first-look.int-spec.ts', 'first-look.projection.ts']);
    for (const file of await readdir(folder))
      expect(await readFile(join(folder, file), 'utf8')).toBe(await readFile(join(WRITTEN, file), 'utf8'));
    expect(output.join()).toContain(`PROJECTIONS=${folder}/first-look.projection.ts npm start`);
  });

  it('does not overwrite existing files', async () => {
    await generate('first_look');
    expect(await generate('first_look')).toBe(1);
    expect(output.at(-1)).toContain('first-look.projection.ts exists already');
  });

  it.each(['First', '1st', 'core', 'mine_next', 'mine_v2', ''])(
    'rejects the name "%s" as wrong use, and explains valid names',
    async (name) => {
      expect(await generate(name)).toBe(2);
      expect(output.at(0)).toMatch(/a name consists of lower-case letters|NAME is missing/);
      expect(await readdir(folder)).toEqual([]);
    },
  );
});
