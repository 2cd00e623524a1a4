import { describe, expect, it } from '@jest/globals';
import {
  codesLeft,
  confirmFactor,
  evolveFactors,
  type FactorEvent,
  generateRecoveryCodes,
  MAX_FACTORS,
  noFactors,
  NoSecondFactor,
  removeAllFactors,
  removeFactor,
  renameFactor,
  SecondFactorNotFound,
  type SecondFactors,
  TooManyFactors,
  useRecoveryCode,
} from './second-factor.decider.ts';

const sealed = (text: string) => ({ subject: 'account-1', sealed: text });
const factor = (factorId: string) => ({ factorId, kind: 'totp', name: sealed(factorId) }) as const;
const after = (state: SecondFactors, events: readonly FactorEvent[]): SecondFactors => events.reduce(evolveFactors, state);
const types = (events: readonly FactorEvent[]): readonly string[] => events.map(({ type }) => type);
const one = after(noFactors, confirmFactor(noFactors, factor('a'), 'set 1'));

describe('second factors', () => {
  it('come with recovery codes, the later ones without', () => {
    expect(types(confirmFactor(noFactors, factor('a'), 'set 1'))).toEqual(['SecondFactorConfirmed', 'RecoveryCodesGenerated']);
    expect(types(confirmFactor(one, factor('b'), 'set 2'))).toEqual(['SecondFactorConfirmed']);
    expect(confirmFactor(one, factor('a'), 'set 2')).toEqual([]);
  });

  it('are bounded in number', () => {
    const many = Array.from({ length: MAX_FACTORS - 1 }, (_, index) => factor(String(index)));
    const full = many.reduce((state, wanted) => after(state, confirmFactor(state, wanted, 'x')), one);
    expect(() => confirmFactor(full, factor('b'), 'x')).toThrow(TooManyFactors);
  });

  it('take their recovery codes with them when the last one is removed', () => {
    const two = after(one, confirmFactor(one, factor('b'), 'x'));
    expect(after(two, removeFactor(two, 'a')).recovery?.setId).toBe('set 1');
    expect(after(two, removeAllFactors(two, sealed('lost')))).toEqual(noFactors);
    expect(() => removeFactor(one, 'b')).toThrow(SecondFactorNotFound);
    expect(() => renameFactor(one, 'b', sealed('x'))).toThrow(SecondFactorNotFound);
    expect(renameFactor(one, 'a', sealed('a'))).toEqual([]);
  });

  it('void earlier recovery codes when new ones are generated', () => {
    expect(() => generateRecoveryCodes(noFactors, 'set 1')).toThrow(NoSecondFactor);
    const used = after(one, useRecoveryCode(one, 'set 1', 3));
    expect(codesLeft(used.recovery)).toBe(9);
    expect(useRecoveryCode(used, 'set 1', 3)).toEqual([]);
    const again = after(used, generateRecoveryCodes(used, 'set 2'));
    expect(useRecoveryCode(again, 'set 1', 4)).toEqual([]);
    expect([codesLeft(again.recovery), codesLeft(noFactors.recovery)]).toEqual([10, 0]);
  });
});
