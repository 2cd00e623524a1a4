/** `left out`: the object has no equal; `not carried`: a setting of an object that is imported; `changed`: the nearest value that exists here. */
export type ImportFindingKind = 'left out' | 'not carried' | 'changed';

export interface ImportFinding {
  readonly kind: ImportFindingKind;
  /** The name of the object in its source. */
  readonly name: string;
  readonly reason: string;
}

/** A text without the user information of the addresses in it. */
export const withoutSignIn = (text: string): string => text.replaceAll(/(?<=:\/\/)[^\s/?#]*@/g, '');

/** What an import changes or cannot carry over, by object and reason. */
export class ImportFindings {
  readonly all: ImportFinding[] = [];

  leaveOut(name: string, reason: string): void {
    this.add('left out', name, reason);
  }

  miss(name: string, reason: string): void {
    this.add('not carried', name, reason);
  }

  change(name: string, reason: string): void {
    this.add('changed', name, reason);
  }

  private add(kind: ImportFindingKind, name: string, reason: string): void {
    this.all.push({ kind, name: withoutSignIn(name), reason: withoutSignIn(reason) });
  }

  namesLeftOut(): ReadonlySet<string> {
    return new Set(this.all.filter(({ kind }) => kind === 'left out').map(({ name }) => name));
  }
}

const HEADINGS: Readonly<Record<ImportFindingKind, string>> = {
  'left out': 'Left out',
  'not carried': 'Not carried over',
  changed: 'Changed to the nearest value',
};
/** Names that are printed for one reason; `--json` has all. */
const MAX_NAMES = 20;

/** A line for each reason, with the objects that it concerns. */
export function findingLines(findings: readonly ImportFinding[]): readonly string[] {
  return (Object.keys(HEADINGS) as ImportFindingKind[]).flatMap((kind) => {
    const byReason = new Map<string, Set<string>>();
    for (const { name, reason } of findings.filter((one) => one.kind === kind))
      byReason.set(reason, (byReason.get(reason) ?? new Set()).add(name));
    if (byReason.size === 0) return [];
    return ['', `${HEADINGS[kind]}:`, ...[...byReason].map(([reason, names]) => `  ${reason}: ${listed([...names])}`)];
  });
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${String(names.length - MAX_NAMES)} more (--json lists all)` : shown;
}
