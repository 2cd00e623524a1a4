import { type Extraction, giverOf, isStep } from '../../projects/checks/extraction.ts';
import type { MissingValue } from '../verdicts/verdict.events.ts';
import { isSameSite, originOf } from '../../kernel/url.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { inconclusive, type Inconclusive } from '../probe/outcome.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import type { Values } from './placeholders.ts';

/** A check is not run: a value that it uses is missing, or does not fit. */
export interface Skipped {
  readonly kind: 'skipped';
  readonly missing: MissingValue;
}

interface StepValue {
  readonly value: string;
  /** The site that gave it. */
  readonly origin: string;
  /** The other sites to which it may be sent. */
  readonly origins: readonly string[];
  readonly secret: boolean;
}

type StepResult = { readonly kind: 'known'; readonly values: ReadonlyMap<string, StepValue> } | Inconclusive;

export interface UsedValues {
  readonly kind: 'used';
  readonly values: Values;
  readonly secrets: readonly string[];
}

const none: UsedValues = { kind: 'used', values: new Map(), secrets: [] };

/** What the checks of a journey gave to later ones. In memory only, for as long as the journey takes. */
export class StepValues {
  private readonly results = new Map<string, StepResult>();
  /** Runs under way or done, by check: each check gives its values once. */
  readonly started = new Map<string, Promise<unknown>>();

  /** `url`: the one that answered. */
  give(checkId: string, extract: readonly Extraction[], values: Values, url: string): void {
    const given = extract.flatMap(({ name, secret = true, origins = [] }) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, { value, origin: originOf(url), origins, secret }] as const];
    });
    this.results.set(checkId, { kind: 'known', values: new Map(given) });
  }

  /** The run of a check says nothing about its site. */
  fail(checkId: string, reason: string): void {
    this.results.set(checkId, inconclusive(reason));
  }

  /** Whether it is known what a check gives; otherwise it has to be run again. */
  isKnown(checkId: string): boolean {
    return this.results.get(checkId)?.kind === 'known';
  }

  /** The values that a check sends to `url`. */
  usedBy(watched: WatchedProject, check: CheckRow, url: string): UsedValues | Skipped | Inconclusive {
    const { uses = [] } = check.settings.options;
    if (uses.length === 0) return none;
    const values = new Map<string, string>();
    const secrets: string[] = [];
    for (const name of uses) {
      const found = this.lookUp(watched, check, name, url);
      if ('kind' in found) return found;
      values.set(name, found.value);
      if (found.secret) secrets.push(found.value);
    }
    return { kind: 'used', values, secrets };
  }

  private lookUp(watched: WatchedProject, check: CheckRow, name: string, url: string): StepValue | Skipped | Inconclusive {
    const giver = giverOf(earlierSteps(watched, check), check.areaId, name);
    if (giver === undefined) return skipped(name, null, `no earlier step gives \`${name}\``);
    const step = `step "${giver.settings.name === '' ? giver.settings.url : giver.settings.name}"`;
    if (!giver.settings.enabled) return skipped(name, giver.id, `${step}, which gives \`${name}\`, is disabled`);
    const result = this.results.get(giver.id);
    if (result === undefined) return inconclusive(`${step} has not been run`);
    if (result.kind === 'inconclusive') return inconclusive(`${step}: ${result.reason}`);
    const found = result.values.get(name);
    if (found === undefined) return skipped(name, giver.id, `${step} gave no \`${name}\``);
    if ([found.origin, ...found.origins].some((origin) => isSameSite(origin, url))) return found;
    return skipped(name, giver.id, `\`${name}\` is from ${found.origin}, and ${step} does not allow to send it to ${originOf(url)}`);
  }
}

export const skipped = (name: string, from: string | null, reason: string): Skipped => ({
  kind: 'skipped',
  missing: { name, from, reason: `not run: ${reason}` },
});

/** In the order in which the group runs them, enabled or not. */
const earlierSteps = ({ checks }: WatchedProject, { areaId, order }: CheckRow): readonly CheckRow[] =>
  [...checks.values()]
    .filter((one) => one.areaId === areaId && one.order < order && isStep(one.settings))
    .sort((a, b) => a.order - b.order);

/** The checks that have to run before a check, for the values that it uses, in order. */
export function neededSteps(watched: WatchedProject, check: CheckRow): readonly CheckRow[] {
  const needed = new Set<CheckRow>();
  const add = (step: CheckRow): void => {
    const { uses = [] } = step.settings.options;
    const earlier = uses.length === 0 ? [] : earlierSteps(watched, step);
    for (const name of uses) {
      const giver = giverOf(earlier, step.areaId, name);
      if (giver?.settings.enabled !== true || needed.has(giver)) continue;
      needed.add(giver);
      add(giver);
    }
  };
  add(check);
  return [...needed].sort((a, b) => a.order - b.order);
}
