import { describe, expect, it } from '@jest/globals';
import { type JudgedAnswer, ruleFailure } from '../../../test/support/rule-cases.ts';
import type { ValueOperator } from '../../checker/rules/rule.ts';
import { isRuleType, ruleTypeProblem } from '../../projects/checks/rule-type.ts';
import { readCondition } from './gatus-condition.ts';

const json = (value: unknown): JudgedAnswer => ({ body: JSON.stringify(value), type: 'application/json' });
const timed = (total: number): JudgedAnswer => ({ timing: { dns: 0, connect: 0, tls: 0, request: 0, wait: total, download: 0, total } });
const AT = Date.UTC(2026, 0, 10);
const certificate = (hours: number): JudgedAnswer => ({
  at: AT,
  certificate: { issuer: 'x', names: [], key: 'x', validTo: new Date(AT + hours * 3_600_000).toISOString() },
});
const status = (code: number): JudgedAnswer => ({ status: code });

/** By the code that judges checks. */
function holds(condition: string, answer: JudgedAnswer): boolean {
  const read = readCondition(condition);
  if (read.kind !== 'rules') throw new Error(`${condition}: ${JSON.stringify(read)}`);
  return read.rules.every(({ type, op, val }) => {
    if (!isRuleType(type)) throw new Error(ruleTypeProblem(type) ?? type);
    return ruleFailure(type, op as ValueOperator, val, answer) === null;
  });
}

describe('the rules of a condition of Gatus', () => {
  it.each<[string, JudgedAnswer, JudgedAnswer]>([
    ['[STATUS] == 200', status(200), status(201)],
    ['200 == [STATUS]', status(200), status(201)],
    ['[STATUS] != 404', status(200), status(404)],
    ['[STATUS] < 300', status(299), status(300)],
    ['[STATUS] <= 299', status(299), status(300)],
    ['[STATUS] > 400', status(401), status(400)],
    ['[STATUS] >= 400', status(400), status(399)],
    ['400 > [STATUS]', status(399), status(400)],
    ['[STATUS] == any(200, 429)', status(429), status(201)],
    ['[STATUS] != any(500, 502)', status(200), status(502)],
    ['[STATUS] == pat(2*)', status(204), status(302)],
    ['[STATUS] == pat(20?)', status(204), status(210)],
    ['[STATUS] != pat(5*)', status(204), status(503)],
    ['[RESPONSE_TIME] < 500', timed(499), timed(500)],
    ['[RESPONSE_TIME] <= 1s', timed(1_000), timed(1_001)],
    ['[CERTIFICATE_EXPIRATION] > 48h', certificate(49), certificate(24)],
    ['[CERTIFICATE_EXPIRATION] >= 48h', certificate(49), certificate(47)],
    ['[CERTIFICATE_EXPIRATION] < 48h', certificate(24), certificate(49)],
    ['[BODY] == 1', { body: '1\n' }, { body: '2' }],
    ['[BODY] != 1', { body: '2' }, { body: '1' }],
    ['[BODY] > 5', { body: '6' }, { body: '5' }],
    ['[BODY] == pat(*<h1>Shop</h1>*)', { body: '<p>\n<h1>Shop</h1>' }, { body: '<h1>Sold</h1>' }],
    ['[BODY] != pat(*Fatal*)', { body: 'fine' }, { body: 'a Fatal error' }],
    ['[BODY] == pat(up*)', { body: 'up\nand running' }, { body: 'down' }],
    ['[BODY] == any(up, fine)', { body: 'fine' }, { body: 'finer' }],
    ['has([BODY]) == true', { body: 'x' }, { body: '' }],
    ['has([BODY]) == false', { body: '' }, { body: 'x' }],
    ['[BODY].user.name == john', json({ user: { name: 'john' } }), json({ user: { name: 'bob' } })],
    ['[BODY].user.name != john', json({ user: { name: 'bob' } }), json({ user: { name: 'john' } })],
    ['[BODY].data[0].id == 1', json({ data: [{ id: 1 }] }), json({ data: [{ id: 2 }] })],
    ['[BODY][1].id == 7', json([{ id: 1 }, { id: 7 }]), json([{ id: 7 }])],
    ['[BODY].odd-name == x', json({ 'odd-name': 'x' }), json({ 'odd-name': 'y' })],
    ['[BODY].free > 10', json({ free: 11 }), json({ free: 10 })],
    ['[BODY].age == [BODY].id', json({ age: 1, id: 1 }), json({ age: 1, id: 2 })],
    ['[BODY].age < [BODY].id', json({ age: 1, id: 2 }), json({ age: 2, id: 1 })],
    ['len([BODY].a) == len([BODY].b)', json({ a: [1], b: [2] }), json({ a: [1], b: [] })],
    ['len([BODY].data) < 5', json({ data: [1] }), json({ data: [1, 2, 3, 4, 5] })],
    ['len([BODY].name) == 8', json({ name: 'john.doe' }), json({ name: 'bob' })],
    ['len([BODY]) > 1', json([1, 2]), json([1])],
    ['len([BODY]) > 0', json([1]), json([])],
    ['len([BODY]) < 2', json([]), json([1, 2])],
    ['len([BODY]) == 0', json([]), json([1])],
    ['has([BODY].errors) == false', json({ name: 'x' }), json({ errors: [] })],
    ['has([BODY].users) == true', json({ users: [] }), json({})],
    ['has([BODY].users) != true', json({}), json({ users: [] })],
    ['[BODY].name == pat(john*)', json({ name: 'john.doe' }), json({ name: 'bob' })],
    ['[BODY].name == pat(*[0-9].[0-9])', json({ name: 'v1.2' }), json({ name: 'v1x2' })],
    ['[BODY].id == any(1, 2)', json({ id: 2 }), json({ id: 3 })],
    ['[BODY].id != any(1, 2)', json({ id: 3 }), json({ id: 2 })],
  ])('%s', (condition, passing, failing) => {
    expect([holds(condition, passing), holds(condition, failing)]).toEqual([true, false]);
  });

  it('has none where a check that passes is connected anyway', () => {
    expect(readCondition('[CONNECTED] == true')).toEqual({ kind: 'implied' });
    expect(readCondition('[BODY] == pat(*)')).toEqual({ kind: 'implied' });
  });

  it('says where the nearest rule is not the same', () => {
    expect(readCondition('[CERTIFICATE_EXPIRATION] > 36h')).toMatchObject({ nearest: 'a certificate is judged by whole days: 2' });
  });

  it.each([
    ['[IP] == 127.0.0.1', 'address behind a name'],
    ['[IP] == pat(192.168.*)', 'address behind a name'],
    ['[DNS_RCODE] == NOERROR', 'DNS'],
    ['[DOMAIN_EXPIRATION] > 720h', 'domain expires'],
    ['[BODY].x == [CONTEXT].x', 'two values'],
    ['[CONTEXT].x == 1', 'suite'],
    ['[CONNECTED] == false', 'cannot connect'],
    ['[RESPONSE_TIME] < fast', 'no number'],
    ['[BODY].a..b == 1', 'cannot be read'],
    ['1 == 1', 'nothing of the answer'],
    ['[STATUS]', 'no comparison'],
    ['len([STATUS]) == 3', 'no equal'],
    ['[NEW_PLACEHOLDER] == 1', 'no equal'],
  ])('names %s, which has no equal', (condition, reason) => {
    expect(readCondition(condition)).toEqual({ kind: 'missing', reason: expect.stringContaining(reason) });
  });
});
