import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';

const DECLARATION = /^export (?:declare |abstract |default )?(?:async )?(?:function\*?|class|interface|type|const|enum) (?<name>\w+)/gm;
const TEST = /\.(spec|int-spec|contract)\.ts$/;
/** Every command group of the command line exports its `command`; the command line imports them all under one name. */
const mayRepeat = (name: string, files: readonly string[]): boolean =>
  name === 'command' && files.every((file) => file.endsWith('.command-line.ts'));

/** The file in which each name is declared; a name that is declared in several stands for several things. */
function declarations(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && !TEST.test(path));
  for (const file of paths.map((path) => `src/${path}`)) {
    const names = new Set([...readFileSync(file, 'utf8').matchAll(DECLARATION)].map(({ groups }) => groups?.name ?? ''));
    for (const name of names) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return files;
}

describe('an exported name', () => {
  it('is declared in one file only', () => {
    const declared = declarations();
    expect(declared.size).toBeGreaterThan(1000);
    const repeated = [...declared].filter(([name, files]) => files.length > 1 && !mayRepeat(name, files));
    expect(Object.fromEntries(repeated)).toEqual({});
  });
});
