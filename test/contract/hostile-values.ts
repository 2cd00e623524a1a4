import fc from 'fast-check';

/** Values that break services without input validation. */
export const hostile: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  -0,
  true,
  [],
  [[]],
  {},
  { $ne: null },
  { toString: 'x' },
  { length: 1e9 },
  { then: 'x' },
  '\u0000',
  '\ud800',
  'a\r\nSet-Cookie: x=1',
  '../../../../etc/passwd',
  "' OR 1=1 --",
  '"; DROP TABLE log; --',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '=cmd|x',
  '__proto__',
  'constructor',
  'NaN',
  '9'.repeat(400),
  'x'.repeat(5_000),
  '\u202e\u2066\ufeff',
  '١٢٣',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:5432/',
  'file:///etc/passwd',
  'http://a:b@example.com/',
  '2023-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00Z',
  '99999-01-01T00:00:00Z',
  '18446744073709551616',
  '0x10',
  '1e3',
);

/** Something is not as it should be, and everything else is: one field missing, one too many, one of another kind. */
export function nearly(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return hostile;
  const names = Object.keys(value);
  const added = fc.tuple(fc.constantFrom('somethingElse', '__proto__', 'constructor', 'id', 'userId', 'systemRole', 'toString'), hostile);
  const changes: fc.Arbitrary<unknown>[] = [added.map(([name, extra]) => withField(value, name, extra)), hostile];
  if (names.length > 0) {
    const named = fc.constantFrom(...names);
    changes.push(named.map((name) => without(value, name)));
    changes.push(fc.tuple(named, hostile).map(([name, other]) => withField(value, name, other)));
    changes.push(named.chain((name) => nearly(fieldOf(value, name)).map((other) => withField(value, name, other))));
  }
  return fc.oneof(...changes);
}

const fieldOf = (value: object, name: string): unknown => Object.entries(value).find(([known]) => known === name)?.[1];

/** `__proto__` as JSON would bring it. */
function withField(value: object, name: string, field: unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown, index) => (String(index) === name ? field : element));
  const copy: object = { ...value };
  Object.defineProperty(copy, name, { value: field, enumerable: true, configurable: true, writable: true });
  return copy;
}

const without = (value: object, name: string): unknown =>
  Array.isArray(value)
    ? value.filter((_, index) => String(index) !== name)
    : Object.fromEntries(Object.entries(value).filter(([known]) => known !== name));

/** Bodies that are no JSON of ours at all. */
export const hostileBodies: readonly string[] = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '0',
  '{"a":1}{"b":2}',
  '{"__proto__":{"systemRole":"admin"}}',
  '{"constructor":{"prototype":{"systemRole":"admin"}}}',
  '{"url":1e999}',
  `{"url":"${'x'.repeat(1_100_000)}"}`,
  '['.repeat(50_000),
  '{"a":'.repeat(10_000),
  '\ufeff{}',
  '{"\\ud800":"\\udfff"}',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  'a=1&b=2',
];
