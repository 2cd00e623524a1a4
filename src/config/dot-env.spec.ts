import { expect, it } from '@jest/globals';
import { parseDotEnv } from './dot-env.ts';

const read = (text: string) => parseDotEnv(text).values;

it('a line of .env is a name and a value, which ends where a comment begins', () => {
  expect(read('\ufeffA=1\r\nexport B = two words # of them\n# C=3\n\n  D=\nE=a#b\nF=#none')).toEqual({
    ...{ A: '1', B: 'two words', D: '', E: 'a#b', F: '' },
  });
});

it('quotes keep white space and marks of comments, and double ones know a line feed', () => {
  expect(read(`A=" a # b " # c\nB='x\\n#y'\nC="x\\ny"`)).toEqual({ A: ' a # b ', B: 'x\\n#y', C: 'x\ny' });
});

it('what cannot be read is named by its line', () => {
  expect(parseDotEnv(`A=1\nnonsense\n2B=1\nC="open\nD="a" b`)).toEqual({
    values: { A: '1' },
    problems: [2, 3, 4, 5].map((line) => `.env line ${String(line)}: must read NAME=value`),
  });
});
