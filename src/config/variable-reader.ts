/** A value, or what is wrong with it: the second half of a sentence that begins with the variable's name. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };
export type Parse<T> = (raw: string) => Parsed<T>;

/** Reads variables one by one and collects everything that is wrong, so that an operator mends all of it at once. An empty variable counts as unset. */
export class VariableReader {
  readonly problems: string[] = [];

  constructor(private readonly variables: Readonly<Record<string, string | undefined>>) {}

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
