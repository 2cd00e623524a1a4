import { expect } from '@jest/globals';
import { Page } from '../../src/checker/page/page.ts';
import type { HeaderLine } from '../../src/checker/probe/outcome.ts';
import type { ValueOperator } from '../../src/checker/rules/rule.ts';
import { headerValue, type StoredAnswer } from '../../src/checker/rules/stored-answer.ts';
import { valueFailure } from '../../src/checker/rules/value-rules.ts';
import type { RuleType } from '../../src/projects/checks/rule.ts';
import { ruleTypeProblem } from '../../src/projects/checks/rule-type.ts';

export interface JudgedAnswer extends Partial<Omit<StoredAnswer, 'body'>> {
  readonly body?: string;
  readonly type?: string;
}
export const htmlAnswer = (body: string, headers: readonly HeaderLine[] = [], more: JudgedAnswer = {}): JudgedAnswer => ({
  body,
  type: 'text/html',
  headers,
  ...more,
});
const AT = Date.UTC(2026, 0, 10, 12);
const TIMING = { dns: 1.04, connect: 2, tls: 3, request: 4, wait: 95.26, download: 6, total: 111.3 };
const CERTIFICATE = {
  issuer: 'C=US, O=Good CA',
  names: ['example.com', '*.example.com'],
  validTo: '2026-01-20T11:00:00.000Z',
  key: 'RSA 2048',
};

export function ruleFailure(
  type: RuleType,
  op: ValueOperator,
  val: string,
  { body = '', type: contentType, headers = [], ...more }: JudgedAnswer,
): string | null {
  const answer: StoredAnswer = {
    ...{ url: 'https://example.com/a/b', httpVersion: '1.1', status: 200, statusText: 'OK', redirectedBy: null, cut: false },
    ...{ redirects: 0, certificate: CERTIFICATE, timing: TIMING, at: AT },
    ...more,
    headers: [...(contentType === undefined ? [] : [['Content-Type', contentType] as const]), ...headers],
    body: Buffer.from(body),
  };
  const page = new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? '', cut: answer.cut });
  return valueFailure({ type, op, val }, answer, page);
}

export type RuleCase = readonly [type: RuleType, op: ValueOperator, val: string, expected: boolean];

export function expectRules(given: JudgedAnswer, cases: readonly RuleCase[]): void {
  for (const [type] of cases) expect([type, ruleTypeProblem(type)]).toEqual([type, null]);
  const found = cases.map(([type, op, val]) => [type, op, val, ruleFailure(type, op, val, given) === null]);
  expect(found).toEqual(cases.map((one) => [...one]));
}
