import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DomainError } from '../../kernel/errors.ts';
import { answerOf } from './answer-of.ts';
import { errorTable } from './error-table.ts';

const SOURCE = join(import.meta.dirname, '../..');
const CODE = /class (\w+) extends (?:DomainError|RefusedUnderLoad) \{[^}]*?readonly code = '([A-Z_]+)'/gs;

/** Errors that never reach a client: they stop a part of the service, or its start. */
const INTERNAL = new Set(['MIRROR_MISMATCH', 'STORE_REPLACED', 'SEAL_BROKEN']);

const thrown = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
  .flatMap((name) => [...readFileSync(join(SOURCE, name), 'utf8').matchAll(CODE)].map(([, type = '', code = '']) => ({ type, code })));

describe('the error table', () => {
  it('has a row for every code of a DomainError in the source', () => {
    expect(thrown.length).toBeGreaterThan(20);
    expect(thrown.filter(({ code }) => !INTERNAL.has(code) && !Object.hasOwn(errorTable, code))).toEqual([]);
  });

  it('has no row without a DomainError', () => {
    const codes = new Set(thrown.map(({ code }) => code));
    expect(Object.keys(errorTable).filter((code) => !codes.has(code) && code !== 'INVALID_INPUT')).toEqual([]);
  });

  it('answers only the message where the interface fixes that, and marks a 500 as unforeseen', () => {
    class CreationFailed extends DomainError {
      readonly code = 'PROJECT_CREATION_FAILED';
    }
    const body = { message: 'It failed.' };
    expect(answerOf(new CreationFailed('It failed.'))).toEqual({ status: 500, headers: {}, body, unforeseen: true });
  });
});
