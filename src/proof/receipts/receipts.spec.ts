import { describe, expect, it } from '@jest/globals';
import { answerDifferences } from '../../app/recompute/recompute-receipt.ts';
import { parseHead } from './receipt.command-line.ts';

describe('the head that curl wrote', () => {
  it('is the last one, with the lines of a field joined', () => {
    const head =
      'HTTP/1.1 200 Connection established\r\n\r\nHTTP/2 200 \r\nDate: now\r\nVary: Accept\r\nvary: Authorization\r\nX-Empty:\r\n\r\n';
    expect(parseHead(head)).toEqual({ status: 200, headers: { date: 'now', vary: 'Accept, Authorization', 'x-empty': '' } });
  });

  it.each(['', '{"total":1}', 'Date: now\r\n'])('is not %j', (text) => {
    expect(parseHead(text)).toBeNull();
  });
});

describe('the differences of two answers', () => {
  it('are named by member, ten at most', () => {
    expect(answerDifferences('{"a":{"b":[1,2]},"c":1}', '{"a":{"b":[1,3]},"d":null}')).toEqual([
      'a.b.1: signed 2, computed 3',
      'c: signed 1, computed nothing',
      'd: signed nothing, computed null',
    ]);
    const many = answerDifferences(JSON.stringify(Array(12).fill(1)), JSON.stringify(Array(12).fill(2)));
    expect([many.length, many.at(-1)]).toEqual([11, 'and 2 more']);
  });

  it('are named by character where they are not of members', () => {
    expect(answerDifferences('<svg>1', '<svg>2')).toEqual(['character 5: signed "1", computed "2"']);
    expect(answerDifferences('{"a":1}', '{ "a":1}')).toEqual(['character 1: signed "\\"a\\":1}", computed " \\"a\\":1}"']);
  });
});
