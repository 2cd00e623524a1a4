import { describe, expect, it } from '@jest/globals';
import { SseParser } from './live-stream.ts';

const TEXT =
  'retry: 2000\n\n: a comment\n\nid: 1\nevent: A\ndata: one\n\nevent: B\ndata: two\ndata:three\n\r\nid: 2\r\ndata: é\r\n\r\n: still here\nid: 3\n\n';
const MESSAGES = [
  { type: 'A', data: 'one' },
  { type: 'B', data: 'two\nthree' },
  { type: 'message', data: 'é' },
];

describe('the parser of server-sent events', () => {
  it('reads the same messages wherever the text is cut', () => {
    for (let at = 0; at <= TEXT.length; at++) {
      const parser = new SseParser(undefined);
      expect([...parser.take(TEXT.slice(0, at)), ...parser.take(TEXT.slice(at))]).toEqual(MESSAGES);
      expect([parser.lastEventId, parser.retryMs]).toEqual(['3', 2000]);
    }
  });

  it('resumes before a message that the caller has not finished with', () => {
    const parser = new SseParser('0');
    const messages = parser.take('id: 1\ndata: one\n\nid: 2\ndata: two\n\n');
    messages.next();
    expect(parser.lastEventId).toBe('0');
    messages.next();
    expect(parser.lastEventId).toBe('1');
  });

  it('drops half a message when the connection is cut', () => {
    const parser = new SseParser('1');
    expect([...parser.take('id: 2\ndata: half')]).toEqual([]);
    parser.reset();
    expect(parser.lastEventId).toBe('1');
    expect([...parser.take('data: whole\n\n')]).toEqual([{ type: 'message', data: 'whole' }]);
  });
});
