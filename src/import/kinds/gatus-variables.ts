import type { SecretText } from '../source-secrets.ts';

const VARIABLE = /\$(?:\$|\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** `${NAME}` and `$NAME`, which Gatus replaces by variables of its environment, and `$$`, which is a dollar. */
export class GatusVariables {
  private readonly unset = new Set<string>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** With the values of this environment. */
  filled(text: string): string {
    return text.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$';
      const name = braced ?? bare ?? '';
      const value = this.env[name];
      if (value === undefined) this.unset.add(name);
      return value ?? '';
    });
  }

  /** As site files refer to variables in secrets, so that no value is needed now. */
  referenced(text: string): SecretText {
    let hasVariable = false;
    const reference = text.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$';
      hasVariable = true;
      return `\${env:${braced ?? bare ?? ''}}`;
    });
    return hasVariable ? { reference } : reference;
  }

  /** Null when every variable that was filled in has a value. */
  problem(): string | null {
    const [name] = this.unset;
    return name === undefined ? null : `the variable ${name} is not set`;
  }
}
