import { expect, it } from '@jest/globals';
import { parseDotEnv } from './variable-reader.ts';

const read = (text: string) => parseDotEnv(text).values;

it('reads names and values from .env, without comments', () => {
  expect(read('\ufeffA=1\r\nexport B = two words # of them\n# C=3\n\n  D=\nE=a#b\nF=#none')).toEqual({
    ...{ A: '1', B: 'two words', D: '', E: 'a#b', F: '' },
  });
});

it('keeps white space and # within quotes, and reads \\n within double quotes', () => {
  expect(read(`A=" a # b " # c\nB='x\\n#y'\nC="x\\ny"`)).toEqual({ A: ' a # b ', B: 'x\\n#y', C: 'x\ny' });
});

it('reports malformed lines by their number', () => {
  expect(parseDotEnv(`A=1\nnonsense\n2B=1\nC="open\nD="a" b`)).toEqual({
    values: { A: '1' },
    problems: [2, 3, 4, 5].map((line) => `.env line ${String(line)}: must have the form NAME=value`),
  });
});
