import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DomainError, InvalidInput } from '../../../kernel/errors.ts';
import { answerOf } from './answer-of.ts';
import { codesByStatus, errorTable } from './error-table.ts';
import { ApiKeyRetired, NotAuthenticated, PasswordWrong } from './refusals.ts';

const SOURCE = join(import.meta.dirname, '../../..');
const CODE = /class (\w+) extends (?:DomainError|RefusedUnderLoad) \{[^}]*?readonly code = '([A-Z_]+)'/gs;

/** Errors that never reach a client: they stop a part of the service, or its start. */
const INTERNAL = new Set(['MIRROR_MISMATCH', 'STORE_REPLACED', 'SEAL_BROKEN']);

const thrown = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
  .flatMap((name) => [...readFileSync(join(SOURCE, name), 'utf8').matchAll(CODE)].map(([, type = '', code = '']) => ({ type, code })));

describe('an error body', () => {
  it('has a stable code, the page that explains it, and the id of the request', () => {
    const { headers, body } = answerOf(
      new InvalidInput('limit: must be a whole number from 1 to 9', { allowed: { minimum: 1, maximum: 9 } }),
      'id',
    );
    const problem = { message: 'limit: must be a whole number from 1 to 9', param: 'limit', allowed: { minimum: 1, maximum: 9 } };
    expect(headers).toEqual({ 'watchledger-error-code': 'INVALID_INPUT' });
    expect(body).toEqual({
      ...{ ...problem, code: 400, ok: false, error: true, errorCode: 'INVALID_INPUT' },
      ...{ docs: '/docs/errors#INVALID_INPUT', requestId: 'id', errors: [problem] },
    });
  });

  it('names the field with which the message of any refusal begins', () => {
    expect(answerOf(new PasswordWrong('current'), 'id').body).toMatchObject({ param: 'current', errorCode: 'PASSWORD_WRONG' });
  });

  it('says since when something is retired, and where that is explained', () => {
    const docs = '/docs/errors#API_KEY_RETIRED';
    expect(answerOf(new ApiKeyRetired(), 'id').headers).toMatchObject({
      deprecation: '@1767225600',
      sunset: 'Thu, 01 Jan 2026 00:00:00 GMT',
      link: `<${docs}>; rel="deprecation"; type="text/html", <${docs}>; rel="sunset"; type="text/html"`,
      'www-authenticate': 'Bearer',
    });
    expect(answerOf(new NotAuthenticated(), 'id').headers).not.toHaveProperty('deprecation');
    const ofParameters = ['PARAMETER_URLS_DEPRECATED', 'PARAMETER_BLANK_DEPRECATED'].map((code) => errorTable[code]?.retiredAt);
    expect(ofParameters).toEqual(ofParameters.map(() => new Date('2026-01-01')));
  });

  it('lists at most 20 problems', () => {
    const problems = Array.from({ length: 25 }, (_, n) => ({ message: `f${String(n)}: is wrong` }));
    const { body } = answerOf(new InvalidInput(problems), 'id');
    expect(body).toMatchObject({ errors: problems.slice(0, 20), message: expect.stringMatching(/^f0: is wrong; .*and 5 more problems$/) });
  });
});

describe('the error table', () => {
  it('has a row for every code of a DomainError in the source', () => {
    expect(thrown.length).toBeGreaterThan(20);
    expect(thrown.filter(({ code }) => !INTERNAL.has(code) && !Object.hasOwn(errorTable, code))).toEqual([]);
  });

  it('has no row without a DomainError', () => {
    const codes = new Set([...thrown.map(({ code }) => code), ...Object.values(codesByStatus), 'INVALID_INPUT']);
    expect(Object.keys(errorTable).filter((code) => !codes.has(code))).toEqual([]);
  });

  it('gives every error that no class states the status of its row', () => {
    for (const [status, code] of Object.entries(codesByStatus)) expect([code, errorTable[code]?.status]).toEqual([code, Number(status)]);
  });

  it('answers only the message where the interface fixes that, and marks a 500 as unforeseen', () => {
    class CreationFailed extends DomainError {
      readonly code = 'PROJECT_CREATION_FAILED';
    }
    const body = { message: 'It failed.' };
    const headers = { 'watchledger-error-code': 'PROJECT_CREATION_FAILED' };
    expect(answerOf(new CreationFailed('It failed.'), 'id')).toEqual({ status: 500, headers, body, unforeseen: true });
  });
});
