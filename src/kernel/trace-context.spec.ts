import { describe, expect, it } from '@jest/globals';
import { childOf, formatTraceparent, newTrace, parseTraceparent, traceOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent header', () => {
  it('is parsed into trace, span and the decision to sample', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: false });
  });

  it('of a later version is read as far as it is known', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-what-comes`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['more behind version 00', `00-${TRACE}-${SPAN}-01-x`],
    ['text directly behind the flags', `cc-${TRACE}-${SPAN}-01x`],
    ['a short id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['white space', ` 00-${TRACE}-${SPAN}-01`],
    ['a line break', `00-${TRACE}-${SPAN}-01\n`],
    ['two headers', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['a list', [`00-${TRACE}-${SPAN}-01`]],
    ['a later version without end', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`],
  ])('is ignored with %s', (_, header) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  it('is written in version 00, with no flag but the decision to sample', () => {
    const parsed = parseTraceparent(`cc-${TRACE}-${SPAN}-ff-what-comes`);
    expect(parsed && formatTraceparent(parsed)).toBe(`00-${TRACE}-${SPAN}-01`);
  });

  it('of a new trace and of an operation in it is valid', () => {
    const trace = newTrace();
    const child = childOf(trace);
    expect(parseTraceparent(formatTraceparent(child))).toEqual({ ...trace, spanId: child.spanId });
    expect(child.spanId).not.toBe(trace.spanId);
  });
});

describe('the trace of a chain of events', () => {
  const chain = { correlationId: '6f1c2b9f-6a3f-5d0e-9b0e-4d8a7c5b3a21', causationId: '0e4d8a7c-5b3a-5121-9b0e-6f1c2b9f6a3f' };

  it('is the one that a request brought', () => {
    expect(traceOf({ ...chain, traceparent: `00-${TRACE}-${SPAN}-00` })).toEqual({ traceId: TRACE, spanId: SPAN, sampled: false });
  });

  it('is derived from its ids otherwise, alike in every process', () => {
    const derived = traceOf(chain);
    expect(derived).toEqual({ traceId: '6f1c2b9f6a3f5d0e9b0e4d8a7c5b3a21', spanId: '0e4d8a7c5b3a5121', sampled: true });
    expect(parseTraceparent(formatTraceparent(derived))).toEqual(derived);
  });
});
