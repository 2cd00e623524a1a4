/** A text with `${env:NAME}` in it, whose value the source does not have either. */
export interface Reference {
  readonly reference: string;
}

export type SecretText = string | Reference;

/** Values of a source that are secrets here: site files name them, and a file beside them has them (docs/site-files.md#secrets). */
export class SecretValues {
  readonly values = new Map<string, string>();

  /** What a site file says instead of the value. */
  reference(of: readonly string[], value: SecretText): string {
    if (typeof value !== 'string') return value.reference;
    if (value === '') return '';
    const wanted = of
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_');
    const base = /^[A-Z]/.test(wanted) ? wanted : `IMPORT_${wanted}`;
    let name = base;
    for (let nth = 2; this.values.has(name) && this.values.get(name) !== value; nth++) name = `${base}_${String(nth)}`;
    this.values.set(name, value);
    return `\${env:${name}}`;
  }

  /** As a shell reads it: in single quotes nothing but the quote itself has a meaning. */
  asShellVariables(): string {
    return [...this.values].map(([name, value]) => `${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`).join('');
  }
}
