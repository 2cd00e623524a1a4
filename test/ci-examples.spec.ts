import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { commandTable } from '../src/app/command-table.ts';
import { parseCommandLine } from '../src/platform/cli/parse-command-line.ts';

const scriptsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(scriptsOf) : [];
};

it.each(['github-actions.yml', 'gitlab-ci.yml'])('examples/ci/%s is YAML whose commands and options exist', async (name) => {
  const text = readFileSync(new URL(`../examples/ci/${name}`, import.meta.url), 'utf8');
  const lines = scriptsOf(parse(text)).filter((line) => line.startsWith('watchledger '));
  expect(lines.map((line) => line.split(' ')[1]).toSorted()).toEqual(['apply', 'plan', 'try', 'validate']);
  for (const line of lines) {
    const [, command = '', ...args] = (line.split(' || ')[0] ?? '').split(' ');
    const loaded = await commandTable[command]?.load();
    if (loaded === undefined || 'actions' in loaded.command) throw new Error(`${command} is no command`);
    expect(parseCommandLine(loaded.command, args).args).toEqual(['watchledger/']);
  }
});
