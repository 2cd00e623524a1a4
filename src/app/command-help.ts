import type { CliAction, CliCommand, CliOption } from '../platform/cli/command.ts';
import { commandTable } from './command-table.ts';
import { COMMON } from '../platform/cli/parse-command-line.ts';

export const overview = (): string =>
  [
    'Usage: watchledger COMMAND [options]',
    '',
    ...rows(Object.entries(commandTable).map(([name, { about }]) => [name, about])),
    '',
    'watchledger COMMAND --help explains a command; watchledger --version prints the version.',
    'Exit status: 0 success, 1 failure or a negative result, 2 wrong usage or configuration.',
  ].join('\n');

export function helpOf(name: string, command: CliCommand): string {
  if (!('actions' in command)) return helpOfAction(name, command);
  return [
    `Usage: watchledger ${name} ACTION [options]`,
    '',
    `${command.about}.`,
    '',
    ...rows(Object.entries(command.actions).map(([action, { about, args = [] }]) => [[action, ...args].join(' '), about])),
    '',
    `watchledger ${name} ACTION --help explains an action.`,
  ].join('\n');
}

export const helpOfAction = (name: string, action: CliAction): string =>
  [
    `Usage: watchledger ${[name, ...(action.args ?? []), '[options]'].join(' ')}`,
    '',
    `${action.about}.`,
    '',
    ...rows(Object.entries({ ...action.options, ...COMMON }).map(([option, row]) => [usageOf(option, row), row.about])),
  ].join('\n');

function usageOf(name: string, { type, value = 'VALUE', alone }: CliOption): string {
  if (type === 'boolean') return `--${name}`;
  return alone === undefined ? `--${name} ${value}` : `--${name}[=${value}]`;
}

function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
