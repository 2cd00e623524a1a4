import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, NotCanonical } from './canonical-json.ts';

/** RFC 8785, appendix B: the bits of a double and how it is written. */
const NUMBERS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

const double = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE(0);
const canonical = (json: string): string => canonicalJson(JSON.parse(json));

describe('the published vectors of RFC 8785', () => {
  it.each(NUMBERS)('writes the double %s as %s', (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('refuses the double %s', (bits) => {
    expect(() => canonicalJson(double(bits))).toThrow(NotCanonical);
  });

  it('writes the example of section 3.2.2', () => {
    const input =
      '{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],' +
      ' "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false] }';
    // Section 3.2.4 lists the bytes.
    const bytes =
      '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c31652b' +
      '33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d';
    expect(Buffer.from(canonical(input)).toString('hex')).toBe(bytes);
  });

  it('sorts the example of section 3.2.3 by UTF-16 code units', () => {
    const input =
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",' +
      '"\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}';
    const sorted = ['Carriage Return', 'One', 'Control', 'Latin Small Letter O With Diaeresis', 'Euro Sign', 'Emoji: Grinning Face'];
    expect([...canonical(input).matchAll(/:"([^"]+)"/g)].map(([, value]) => value)).toEqual([...sorted, 'Hebrew Letter Dalet With Dagesh']);
  });

  it.each([
    ['[56, {"d": true, "10": null, "1": [ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      '{"peach": "This sorting order", "péché": "is wrong according to French", "pêche": "but canonicalization MUST", "sin": "ignore locale"}',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    ],
    [
      '{"1": {"f": {"f": "hi","F": 5} ,"\\n": 56.0}, "10": { }, "": "empty", "a": { }, "111": [ {"e": "yes","E": "no" } ], "A": { } }',
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
    ],
    ['{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
  ])('canonicalises the test file %s', (input, output) => {
    expect(canonical(input)).toBe(output);
  });

  it('refuses a lone surrogate in values and names', () => {
    expect(() => canonical('"\\ud800"')).toThrow(NotCanonical);
    expect(() => canonical('{"\\udead":1}')).toThrow(NotCanonical);
  });
});

it('escapes a lone surrogate of the log', () => {
  expect(canonicalJson({ a: '\ud800' }, { loneSurrogates: 'escape' })).toBe('{"a":"\\ud800"}');
});

it('treats a member named __proto__ like any other', () => {
  expect(canonical('{"b":1,"__proto__":{"a":2}}')).toBe('{"__proto__":{"a":2},"b":1}');
});

it('is idempotent and keeps the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const once = canonicalJson(value);
      expect(canonical(once)).toBe(once);
      expect(JSON.parse(once)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('does not depend on the order of the members', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.integer()), (object) => {
      expect(canonicalJson(Object.fromEntries(Object.entries(object).reverse()))).toBe(canonicalJson(object));
    }),
  );
});
