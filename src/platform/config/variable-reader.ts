export interface DotEnv {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;

/**
 * `NAME=value`, one per line; `#` starts a comment at the start of a line or after white space; quotes keep white space and `#`, double quotes
 * also `\n`. Not Node's `util.parseEnv`: it skips malformed lines silently and cuts unquoted values at every `#` (docs/operations.md, Configuration).
 */
export function parseDotEnv(text: string): DotEnv {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.replace(/^\uFEFF/, '').trim();
    if (line === '' || line.startsWith('#')) return;
    const match = LINE.exec(line);
    const value = match === null ? undefined : unquote(match[2] ?? '');
    if (match?.[1] === undefined || value === undefined) problems.push(`.env line ${String(index + 1)}: must have the form NAME=value`);
    else values[match[1]] = value;
  });
  return { values, problems };
}

function unquote(raw: string): string | undefined {
  const quote = raw[0];
  if (quote !== '"' && quote !== "'") return raw.replace(/(^|\s)#.*$/, '').trim();
  const end = raw.indexOf(quote, 1);
  if (end < 0 || !/^\s*(#.*)?$/.test(raw.slice(end + 1))) return undefined;
  const inner = raw.slice(1, end);
  return quote === '"' ? inner.replaceAll('\\n', '\n') : inner;
}

/** A value, or a problem: the text after the variable's name in the message. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };
export type Parse<T> = (raw: string) => Parsed<T>;

/** Reads variables and collects all problems, so that an operator can fix them at once. An empty variable counts as unset. */
export class VariableReader {
  readonly problems: string[] = [];

  constructor(private readonly variables: Readonly<Record<string, string | undefined>>) {}

  isSet(name: string): boolean {
    return (this.variables[name]?.trim() ?? '') !== '';
  }

  /** The names of the variables that are set and begin with the prefix. */
  names(prefix: string): readonly string[] {
    return Object.keys(this.variables).filter((name) => name.startsWith(prefix) && this.isSet(name));
  }

  optional<T>(name: string, parse: Parse<T>): T | undefined {
    const raw = this.variables[name]?.trim();
    if (raw === undefined || raw === '') return undefined;
    const parsed = parse(raw);
    if ('value' in parsed) return parsed.value;
    this.problems.push(`${name}: ${parsed.problem}`);
    return undefined;
  }

  value<T>(name: string, parse: Parse<T>, fallback: T): T {
    return this.optional(name, parse) ?? fallback;
  }

  require(name: string, present: boolean, why: string): void {
    if (!present && !this.problems.some((problem) => problem.startsWith(`${name}:`))) this.problems.push(`${name}: is required ${why}`);
  }
}
