import { shortened } from '../kernel/text.ts';

const MAX_LENGTH = 200;

/** Makes each name say which is which: `Shop`, `Shop (2)`. */
export class UniqueNames {
  private readonly taken = new Set<string>();
  private readonly lastNumbers = new Map<string, number>();

  take(wanted: string): string {
    // oxlint-disable-next-line no-control-regex -- names in other products may have line breaks
    const plain = wanted.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim() || 'Unnamed';
    for (let nth = (this.lastNumbers.get(plain) ?? 0) + 1; ; nth++) {
      const suffix = nth === 1 ? '' : ` (${String(nth)})`;
      const name = `${shortened(plain, MAX_LENGTH - suffix.length)}${suffix}`;
      if (this.taken.has(name)) continue;
      this.taken.add(name);
      this.lastNumbers.set(plain, nth);
      return name;
    }
  }
}
