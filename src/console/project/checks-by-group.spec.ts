import { expect, it } from '@jest/globals';
import { checksByGroup } from './checks-by-group.ts';

it('lists checks by their group: those without one first, groups without checks too', () => {
  const checks = [{ areaId: 'a' }, { areaId: '' }, { areaId: 'deleted' }];
  expect(checksByGroup(checks, [{ id: 'a' }, { id: 'b' }])).toEqual([
    { group: null, checks: [{ areaId: '' }, { areaId: 'deleted' }] },
    { group: { id: 'a' }, checks: [{ areaId: 'a' }] },
    { group: { id: 'b' }, checks: [] },
  ]);
});
