import { describe, expect, it } from '@jest/globals';
import { projectRight } from '../accounts/rights/right.ts';
import { readManifest } from './manifest.ts';

const projection = { kind: 'set', name: 'one', version: 1, handles: ['ProjectRenamed'], columns: {}, indexes: [] };
const route = { operation: 'GET /one/:id', controller: 'OneController', handler: 'all', right: projectRight('read') };
const reactor = { name: 'two', from: 'now', handles: ['CheckFailed'] };
const whole = { projections: [projection], reactors: [reactor], routes: [route] };

describe('the manifest of a package', () => {
  it('is read as the process of the package states it', () => {
    expect(readManifest(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  });

  it.each([
    [
      'a name that is no name of a schema',
      { projections: [{ ...projection, name: 'a"; DROP SCHEMA public' }] },
      'a name consists of lower-case letters',
    ],
    ['an unknown kind of projection', { projections: [{ ...projection, kind: 'core' }] }, 'its kind is unknown'],
    ['a version that is no number', { projections: [{ ...projection, version: '1' }] }, 'its version must be an integer'],
    ['an unknown event', { projections: [{ ...projection, handles: ['Nothing'] }] }, '"Nothing" is not an event type'],
    [
      'a column with a quote',
      { projections: [{ ...projection, columns: { 'a"b': { kind: 'text', indexed: true } } }] },
      'not a valid column name',
    ],
    [
      'a column of an unknown kind',
      { projections: [{ ...projection, columns: { a: { kind: 'text); --', indexed: true } } }] },
      'unknown kind',
    ],
    ['an index over no column', { projections: [{ ...projection, indexes: [['a b']] }] }, 'not a valid column name'],
    ['a route with a space', { routes: [{ ...route, operation: 'GET /one two' }] }, 'cannot be a route of a package'],
    ['an unknown right', { routes: [{ ...route, right: { kind: 'root' } }] }, 'unknown right'],
    ['an unknown need', { routes: [{ ...route, right: { ...projectRight('read'), needs: 'everything' } }] }, 'everything is none of'],
    ['a reactor that begins nowhere', { reactors: [{ ...reactor, from: 'tomorrow' }] }, `"from" must be 'now', 'beginning'`],
    ['no list', { projections: {} }, 'projections: not a list'],
  ])('is refused with %s', (_, changed, reason) => {
    expect(() => readManifest({ ...whole, ...changed })).toThrow(reason);
  });
});
