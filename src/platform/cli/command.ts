import type { Config } from '../config/config.ts';

export interface CliOption {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  /** The placeholder of the value in the help, such as FILE. */
  readonly value?: string;
  /** What the option stands for without a value, which then needs `=`: `--watch`, `--watch=5`. */
  readonly alone?: string;
  /** What is wrong with a value, such as `must be a number`. */
  readonly problemOf?: (value: string) => string | null;
}

export interface CliInput {
  readonly args: readonly string[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
}

/** Results go to standard output, as text or, with --json, for programs; everything else to standard error. */
export interface CliOutput {
  readonly json: boolean;
  readonly result: (value: unknown, text: string | (() => string)) => void;
  /** A result that replaces the one before: a terminal is cleared, JSON is one line. */
  readonly nextResult: CliOutput['result'];
  /** Aborts when the reader of standard output has closed it. */
  readonly closed: AbortSignal;
  readonly say: (line: string) => void;
}

export interface CliContext {
  readonly input: CliInput;
  readonly output: CliOutput;
  /** Read on demand: `--help` and `doctor` work with an invalid configuration, too. */
  readonly config: () => Config;
}

/** Answers the exit status: 0, or 1 for "no". */
export interface CliAction {
  readonly about: string;
  /** Positional arguments as the help shows them; `[X]` is optional, `X...` may repeat. */
  readonly args?: readonly string[];
  readonly options?: Readonly<Record<string, CliOption>>;
  readonly run: (context: CliContext) => Promise<number>;
}

/** A command is one action, or several by name: `accounts list`. */
export type CliCommand = CliAction | { readonly about: string; readonly actions: Readonly<Record<string, CliAction>> };

/** Unknown command, unknown option, missing argument: exit status 2. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
}
