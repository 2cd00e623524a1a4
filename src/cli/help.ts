import type { CliAction, CliCommand, CliOption } from './command.ts';
import { commandTable } from './command-table.ts';
import { COMMON } from './parse-command-line.ts';

export const overview = (): string =>
  [
    'Usage: watchledger COMMAND [options]',
    '',
    ...rows(Object.entries(commandTable).map(([name, { about }]) => [name, about])),
    '',
    'watchledger COMMAND --help says more about each; watchledger --version which one this is.',
    'Exit status: 0 done, 1 no (what was asked does not hold, or it failed), 2 wrong use.',
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
    `watchledger ${name} ACTION --help says more about each.`,
  ].join('\n');
}

export const helpOfAction = (name: string, action: CliAction): string =>
  [
    `Usage: watchledger ${[name, ...(action.args ?? []), '[options]'].join(' ')}`,
    '',
    `${action.about}.`,
    '',
    ...rows(Object.entries({ ...action.options, ...COMMON }).map(([option, row]) => [spelling(option, row), row.about])),
  ].join('\n');

const spelling = (name: string, { type, value = 'VALUE' }: CliOption): string => (type === 'string' ? `--${name} ${value}` : `--${name}`);

function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
