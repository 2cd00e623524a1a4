import { type CliAction, type CliCommand, type CliOption, type CliOutput, WrongUse } from '../platform/cli/command.ts';
import { commandTable } from './command-table.ts';
import { COMMON, parseCommandLine } from '../platform/cli/parse-command-line.ts';
import { type Config, ConfigInvalid, loadConfig } from '../platform/config/config.ts';
import { programVersion } from '../platform/config/program.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { reasonOf } from '../kernel/system-error.ts';
import { harmlessText } from '../platform/cli/terminal.ts';
import { reasonOfAnswer } from '../platform/cli/server/connect.ts';

const overview = (): string =>
  [
    'Usage: watchledger COMMAND [options]',
    '',
    ...rows(Object.entries(commandTable).map(([name, { about }]) => [name, about])),
    '',
    'watchledger COMMAND --help explains a command; watchledger --version prints the version.',
    'Exit status: 0 success, 1 failure or a negative result, 2 wrong usage or configuration.',
  ].join('\n');

function helpOf(name: string, command: CliCommand): string {
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

/** Standard output and standard error; tests pass their own. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal?: boolean;
  /** Aborts when the reader of standard output has closed it. */
  readonly closed?: AbortSignal;
}

/** Answers the exit status: 0, 1 (failure or negative result), 2 (wrong usage or configuration). */
export async function runCommandLine(argv: readonly string[], streams: Streams, config: () => Config = readConfig): Promise<number> {
  const [name, ...rest] = argv;
  try {
    if (name === undefined) throw new WrongUse('a command is missing');
    if (name === '--version') {
      streams.out(programVersion());
      return 0;
    }
    if (name === '--help' || name === 'help') {
      streams.out(overview());
      return 0;
    }
    const row = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
    if (row === undefined) throw new WrongUse(`there is no command '${name}'`);
    return await runCommand(name, (await row.load()).command, rest, streams, config);
  } catch (error) {
    return explain(error, name, streams);
  }
}

async function runCommand(
  name: string,
  command: CliCommand,
  argv: readonly string[],
  streams: Streams,
  config: () => Config,
): Promise<number> {
  if (!('actions' in command)) return runAction(name, command, argv, streams, config);
  const [word, ...rest] = argv;
  if (word === '--help') {
    streams.out(helpOf(name, command));
    return 0;
  }
  const action = word !== undefined && Object.hasOwn(command.actions, word) ? command.actions[word] : undefined;
  if (action === undefined) {
    const known = Object.keys(command.actions).join(', ');
    throw new WrongUse(word === undefined ? `${name} needs an action: ${known}` : `${name} has no action '${word}': ${known}`);
  }
  return runAction(`${name} ${word ?? ''}`, action, rest, streams, config);
}

async function runAction(
  name: string,
  action: CliAction,
  argv: readonly string[],
  streams: Streams,
  config: () => Config,
): Promise<number> {
  const input = parseCommandLine(action, argv);
  if (input.flag('help')) {
    streams.out(helpOfAction(name, action));
    return 0;
  }
  return action.run({ input, output: outputOn(streams, input.flag('json')), config });
}

const CLEAR_SCREEN = '\u001b[H\u001b[J';
const textOf = (text: string | (() => string)): string => (typeof text === 'string' ? text : text());

/** What an action writes to. */
export const outputOn = (streams: Streams, json: boolean): CliOutput => ({
  json,
  closed: streams.closed ?? new AbortController().signal,
  result: (value, text) => {
    streams.out(json ? JSON.stringify(value, null, 2) : harmlessText(textOf(text)));
  },
  nextResult: (value, text) => {
    if (json) streams.out(JSON.stringify(value));
    else streams.out(streams.isTerminal === true ? `${CLEAR_SCREEN}${harmlessText(textOf(text))}` : `${harmlessText(textOf(text))}\n`);
  },
  say: (line) => {
    streams.err(harmlessText(line));
  },
});

/** 2 for wrong usage or configuration, else 1. Stack traces appear at debug level only, and never for refusals. */
function explain(error: unknown, name: string | undefined, streams: Streams): number {
  if (error instanceof WrongUse) {
    const known = name !== undefined && Object.hasOwn(commandTable, name);
    streams.err(`watchledger: ${harmlessText(error.message)}\nTry: watchledger ${known ? `${name} ` : ''}--help`);
    return 2;
  }
  if (error instanceof ConfigInvalid) {
    for (const line of error.lines) streams.err(line);
    return 2;
  }
  // The reader of the pipe closed it.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 1;
  const isBrief = error instanceof StartRefused || process.env['LOG_LEVEL'] !== 'debug';
  const reason = reasonOfAnswer(error) ?? reasonOf(error);
  streams.err(`watchledger: ${harmlessText(isBrief || !(error instanceof Error) ? reason : (error.stack ?? error.message))}`);
  return 1;
}

const readConfig = (): Config => loadConfig(process.env, process.cwd());
