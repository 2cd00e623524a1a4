import { expect, it } from '@jest/globals';
import { linkCheck } from '../../projects/checks/preset.ts';
import { SharedSettings } from './watched-projects.ts';

const check = (id: string, name: string) => ({
  id,
  projectId: 'p',
  areaId: 'a',
  order: 0,
  settings: structuredClone(linkCheck(name, `/${name}`)),
});

it('keeps equal parts of the settings of checks once, and the checks as they are', () => {
  const shared = new SharedSettings();
  const [one, other] = [check('1', 'one'), check('2', 'other')];
  const [kept, keptOther] = [shared.of(one), shared.of(other)];
  expect([kept, keptOther]).toEqual([one, other]);
  expect(kept.settings.rules).toBe(keptOther.settings.rules);
  expect(kept.settings.options).toBe(keptOther.settings.options);
  const changed = shared.of({ ...other, settings: { ...other.settings, rules: [] } });
  expect([changed.settings.rules, keptOther.settings.rules.length]).toEqual([[], 1]);
});
