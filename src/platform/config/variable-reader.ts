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
