import { expect, it } from '@jest/globals';
import { operationTable } from '../../app/operation-table.ts';
import { apiRights, recentSignInOperations } from '../../app/api-rights.ts';
import { atomicOperations, batchOperations } from './batch-operations.ts';

it.each([...batchOperations])('%s is a change of a project that answers JSON and asks for no proof of who calls', (operation) => {
  expect(operation).toMatch(/^(POST|PUT|PATCH|DELETE) /);
  expect(Object.keys(operationTable[operation]?.answer ?? {})).toEqual(['application/json']);
  expect(['project', 'creator']).toContain(apiRights[operation]?.kind);
  expect(recentSignInOperations.has(operation)).toBe(false);
});

it('has every spelling of an operation or none', () => {
  const spelled = [...batchOperations]
    .map((operation) => operation.replace('/tests/:', '/test/:'))
    .filter((operation) => operation.includes(' /test/:'));
  for (const operation of spelled) expect(batchOperations.has(operation.replace('/test/:', '/tests/:'))).toBe(true);
});

it('has an atomic batch take parts of a project alone', () => {
  expect([...atomicOperations].filter((operation) => apiRights[operation]?.kind !== 'project')).toEqual([]);
});
