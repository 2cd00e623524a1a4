import { parseArgs } from 'node:util';
import { reasonOf } from '../kernel/system-error.ts';
import { type CliAction, type CliInput, type CliOption, WrongUse } from './command.ts';

/** Options of every action. */
export const COMMON: Readonly<Record<string, CliOption>> = {
  json: { type: 'boolean', about: 'print the result as JSON' },
  help: { type: 'boolean', about: 'print this help' },
};

export function parseCommandLine(action: CliAction, argv: readonly string[]): CliInput {
  const options = { ...action.options, ...COMMON };
  const { values, positionals } = parse(options, argv);
  if (values['help'] !== true) checkArguments(action.args ?? [], positionals);
  return {
    args: positionals,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    flag: (name) => values[name] === true,
  };
}

function parse(
  options: Readonly<Record<string, CliOption>>,
  argv: readonly string[],
): { values: Record<string, unknown>; positionals: string[] } {
  const types = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: types, allowPositionals: true, strict: true });
    return { values, positionals };
  } catch (error) {
    // Node appends advice about "--", which does not apply here.
    throw new WrongUse(reasonOf(error).split('. To specify')[0] ?? '');
  }
}

function checkArguments(wanted: readonly string[], given: readonly string[]): void {
  const missing = wanted.find((name, index) => !name.startsWith('[') && given[index] === undefined);
  if (missing !== undefined) throw new WrongUse(`${missing} is missing`);
  const max = wanted.some((name) => name.includes('...')) ? Infinity : wanted.length;
  if (given.length > max) throw new WrongUse(`unexpected argument '${given[max] ?? ''}'`);
}
