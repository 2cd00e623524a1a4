/** A text with `${env:NAME}` in it, whose value the source does not have either. */
export interface Reference {
  readonly reference: string;
}

export type SecretText = string | Reference;

/** Values of a source that are secrets here: site files name them, and a file beside them has them (docs/site-files.md#secrets). */
export class SourceSecrets {
  readonly values = new Map<string, string>();
  /** Names whose values the source does not show. */
  readonly unknownNames = new Set<string>();

  /** What a site file says instead of the value. */
  reference(of: readonly string[], value: SecretText): string {
    if (typeof value !== 'string') return value.reference;
    if (value === '') return '';
    const base = variableName(of);
    let name = base;
    for (let nth = 2; this.values.has(name) && this.values.get(name) !== value; nth++) name = `${base}_${String(nth)}`;
    this.values.set(name, value);
    return `\${env:${name}}`;
  }

  /** The variable of a value that the source does not show. */
  unknown(of: readonly string[]): string {
    const name = variableName(of);
    this.unknownNames.add(name);
    return name;
  }

  /** As a shell reads it: in single quotes nothing but the quote itself has a meaning. */
  asShellVariables(): string {
    const known = [...this.values].map(([name, value]) => `${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`);
    return [...known, ...[...this.unknownNames].map((name) => `# ${name}='its source does not show it'\n`)].join('');
  }
}

function variableName(of: readonly string[]): string {
  const name = of
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_');
  return /^[A-Z]/.test(name) ? name : `IMPORT_${name}`;
}
