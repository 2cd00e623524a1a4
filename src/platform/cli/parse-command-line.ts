import { parseArgs } from 'node:util';
import { reasonOf } from '../../kernel/system-error.ts';
import { type CliAction, type CliInput, type CliOption, WrongUse } from './command.ts';

/** Options of every action. */
export const COMMON: Readonly<Record<string, CliOption>> = {
  json: { type: 'boolean', about: 'print the result as JSON' },
  help: { type: 'boolean', about: 'print this help' },
};

export function parseCommandLine(action: CliAction, argv: readonly string[]): CliInput {
  const options = { ...action.options, ...COMMON };
  const { values, positionals } = parse(options, argv);
  if (values['help'] !== true) {
    checkArguments(action.args ?? [], positionals);
    checkValues(options, values);
  }
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
    const { values, positionals } = parseArgs({ args: withValues(options, argv), options: types, allowPositionals: true, strict: true });
    return { values, positionals };
  } catch (error) {
    // Node appends advice about "--", which does not apply here.
    throw new WrongUse(reasonOf(error).split('. To specify')[0] ?? '');
  }
}

/** `--watch` as `--watch=2`. */
function withValues(options: Readonly<Record<string, CliOption>>, argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const isOption = word.startsWith('--') && (end < 0 || index < end);
    const alone = isOption ? ownOption(options, word.slice(2))?.alone : undefined;
    return alone === undefined ? word : `${word}=${alone}`;
  });
}

const ownOption = (options: Readonly<Record<string, CliOption>>, name: string): CliOption | undefined =>
  Object.hasOwn(options, name) ? options[name] : undefined;

function checkValues(options: Readonly<Record<string, CliOption>>, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    const problem = typeof value === 'string' ? (options[name]?.problemOf?.(value) ?? null) : null;
    if (problem !== null) throw new WrongUse(`--${name}: ${problem}, found "${String(value)}"`);
  }
}

function checkArguments(wanted: readonly string[], given: readonly string[]): void {
  const missing = wanted.find((name, index) => !name.startsWith('[') && given[index] === undefined);
  if (missing !== undefined) throw new WrongUse(`${missing} is missing`);
  const max = wanted.some((name) => name.includes('...')) ? Infinity : wanted.length;
  if (given.length > max) throw new WrongUse(`unexpected argument '${given[max] ?? ''}'`);
}
