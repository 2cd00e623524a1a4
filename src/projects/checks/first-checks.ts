import { publicArea, type WantedArea } from '../areas/area.settings.ts';
import { settled } from '../areas/wanted.ts';
import { checklist, type Checklist, type ChecklistEvent } from './checklist.decider.ts';
import { createArea, createCheck } from './check.decider.ts';
import type { CheckSettings } from './check.settings.ts';

/** The groups and checks that a new project begins with. */
export interface FirstChecks {
  readonly groups: readonly { readonly wanted: WantedArea; readonly checks: readonly CheckSettings[] }[];
  /** They stand in its first group, which is made where there is none. */
  readonly checks: readonly CheckSettings[];
}

/** By the rules that hold for one after the other. */
export function createFirstChecks(list: Checklist, { groups, checks }: FirstChecks, newId: () => string): readonly ChecklistEvent[] {
  let now = list;
  const made: ChecklistEvent[] = [];
  const add = (events: readonly ChecklistEvent[]): void => {
    now = events.reduce(checklist.evolve, now);
    made.push(...events);
  };
  const addCheck = (areaId: string | null, settings: CheckSettings): void => {
    add(createCheck(now, { checkId: newId(), areaId, settings, fallback: { areaId: newId(), settings: publicArea } }));
  };
  for (const group of groups) {
    const areaId = newId();
    // Nothing is kept of a sign-in before, whose site would have to be known.
    add(createArea(now, areaId, { ...publicArea, ...settled(publicArea, group.wanted, '') }));
    for (const settings of group.checks) addCheck(areaId, settings);
  }
  for (const settings of checks) addCheck(null, settings);
  return made;
}
