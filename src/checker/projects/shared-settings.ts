import { LRUCache } from 'lru-cache';
import type { CheckRow } from '../../projects/checks/check.view.ts';

const DIFFERENT = 2_000;

/**
 * Interning: equal parts of the settings of checks are one object. Most checks have the options and the rules of many others, and a checker holds tens of
 * thousands of checks; rows are never changed, only replaced.
 */
export class SharedSettings {
  private readonly known = new LRUCache<string, object>({ max: DIFFERENT });

  of(check: CheckRow): CheckRow {
    const { rules, options, template } = check.settings;
    const settings = { ...check.settings, rules: this.shared(rules), options: this.shared(options), template: this.shared(template) };
    return { ...check, settings };
  }

  private shared<Part extends object>(part: Part): Part {
    const key = JSON.stringify(part);
    const known = this.known.get(key);
    // Cast: it was stringified to the same text.
    if (known !== undefined) return known as Part;
    this.known.set(key, part);
    return part;
  }
}
