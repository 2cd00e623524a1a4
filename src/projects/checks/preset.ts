import { publicArea } from '../areas/area.settings.ts';
import type { ChecklistEvent } from './checklist.decider.ts';
import type { Rule } from './rule.ts';
import type { CheckSettings, CheckType } from './check.settings.ts';

const status = (expected: string): readonly Rule[] => [
  { type: 'status', op: 'eq', val: expected, origin: 'preset', templateId: '', order: 0 },
];

export const presetCheck = (name: string, url: string, type: CheckType, rules: readonly Rule[]): CheckSettings => ({
  name,
  url,
  enabled: true,
  notice: '',
  type,
  rules,
  options: { '2': false, '6': false, g: false, l: false, w: null },
  template: { id: '', vars: [] },
});

/** How many ids `presetChecks` needs: one for the group, one for each of its checks. */
export const PRESET_IDS = 5;

/** The checks of a new preset project (docs/spec/decisions.md#P2). Its links follow when the homepage was fetched. */
export function presetChecks(projectUrl: string, ids: readonly string[]): readonly ChecklistEvent[] {
  const [areaId = '', ...checkIds] = ids;
  const { pathname, search } = new URL(projectUrl);
  const checks = [
    presetCheck('Homepage', `${pathname}${search}`, 'homepage', status('200')),
    presetCheck('favicon.ico', '/favicon.ico', 'favicon', []),
    presetCheck('robots.txt', '/robots.txt', 'robots', []),
    presetCheck('A page that does not exist', '/this-page-should-not-exist', 'simple', status('404')),
  ];
  return [
    { type: 'AreaCreated', data: { areaId, settings: publicArea } },
    ...checks.map((settings, index): ChecklistEvent => ({
      type: 'CheckCreated',
      data: { checkId: checkIds[index] ?? '', areaId, settings },
    })),
  ];
}

/** A page that the homepage links to. */
export const linkCheck = (name: string, url: string): CheckSettings => presetCheck(name, url, 'simple', status('200'));
