import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { operationTable } from '../../../app/operation-table.ts';
import { answersAsOf, answersAsOfPath, asOfRoutes } from './as-of-routes.ts';

const document = readFileSync(new URL('../../../../docs/spec/beyond.md', import.meta.url), 'utf8');

/** The paths in a row of the document of receipts. */
function documented(row: string): readonly string[] {
  const [, text = ''] = new RegExp(`^\\| ${row} \\| (.+)$`, 'm').exec(document) ?? [];
  const [paths = ''] = text.split(': `');
  return [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => `/api${path.replaceAll('{id}', ':id')}`).sort();
}

/** Clients also spell `/test/{id}` as `/tests/{id}`. */
const withoutAliases = (routes: readonly string[]): readonly string[] =>
  routes.filter((route) => !route.startsWith('/api/tests/')).toSorted();

describe('the operations that accept asOf', () => {
  it('are those of the document of receipts: functions of the log, and the others', () => {
    expect(documented('Functions of the log')).toEqual(withoutAliases(asOfRoutes.ofLog));
    expect(documented('With measurements')).toEqual(withoutAliases(asOfRoutes.withMeasurements));
  });

  it('exist, and are found again by the path of a request', () => {
    const paths = new Set(Object.keys(operationTable));
    for (const route of [...asOfRoutes.ofLog, ...asOfRoutes.withMeasurements]) {
      expect(paths).toContain(`GET ${route.replace('/api', '')}`);
      expect([route, answersAsOf('GET', route), answersAsOfPath(route.replace(':id', '5f1c2b9f6a3f5d0e9b0e4d8a'))]).toEqual([
        route,
        true,
        true,
      ]);
      expect(answersAsOfPath(`${route.replace(':id', '5f1c2b9f6a3f5d0e9b0e4d8a')}/`)).toBe(true);
    }
    for (const other of ['/api/project/1/history', '/api/status-pages', '/api/project/1/status/x', '/api', '', '/project/1'])
      expect([other, answersAsOfPath(other)]).toEqual([other, false]);
  });
});
