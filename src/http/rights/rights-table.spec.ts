import { describe, expect, it } from '@jest/globals';
import { HttpModule } from '../http.module.ts';
import { routesOf } from './routes-of.ts';
import { rightOf, rightsTable } from './rights-table.ts';

const found = routesOf(HttpModule);
const routes = found.map(({ operation }) => operation);
const nameless = (operation: string): string => operation.replace(/:\w+/g, ':').replace(/\*\w*/g, '*');

/** Rows whose routes are served beside the controllers of this module, or by a part that may be missing. */
const elsewhere = [/^GET \/openapi\.json$/, /\/ops\/projections/, /\/(compare|live)$/, /\/ledger\//, /\/history/];

describe('the rights table', () => {
  it('has a row for every route', () => {
    expect(routes.length).toBeGreaterThan(40);
    const closed = routes.filter((route) => {
      const [method = '', path = ''] = route.split(' ');
      return rightOf(method, `/api${path}`) === undefined;
    });
    expect(closed).toEqual([]);
  });

  it('is the only place for routes of the service: none of them states its right itself', () => {
    expect(found.filter(({ stated }) => stated !== undefined)).toEqual([]);
  });

  it('has no row for a route that is not there', () => {
    const known = new Set(routes.map(nameless));
    const idle = Object.keys(rightsTable).filter(
      (operation) => !known.has(nameless(operation)) && !elsewhere.some((pattern) => pattern.test(operation)),
    );
    expect(idle).toEqual([]);
  });

  it('does not look at names of parameters, and asks HEAD as GET', () => {
    expect(rightOf('HEAD', '/api/project/:projectId/users')).toEqual(rightOf('GET', '/api/project/:id/users'));
  });

  it('leaves what is not the API to itself, and closes what has no row', () => {
    expect(rightOf('GET', '/health/live')).toBeNull();
    expect(rightOf('GET', '/api/unheard/of')).toBeUndefined();
  });
});
