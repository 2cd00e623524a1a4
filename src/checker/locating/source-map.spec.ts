import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collapsed } from '../page/page-facts.ts';
import { SourceMap } from './source-map.ts';

it('finds each character of a collapsed text in its source', () => {
  const characters = fc.array(fc.constantFrom(' ', '\n', '\u00a0', 'a', 'b'), { maxLength: 4 }).map((some) => some.join(''));
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 12 }), (parts) => {
      const map = new SourceMap();
      let source = '';
      // Between two parts stands something that is no text, such as a tag.
      for (const part of parts) {
        map.add(part, source.length, source.length + part.length);
        source += `${part}|`;
      }
      for (const [index, character] of Array.from(collapsed(map.joined())).entries()) {
        const { from, to } = map.sourceOfCollapsed({ from: index, to: index + 1 });
        expect(collapsed(`${character}.`)).toBe(collapsed(`${source.slice(from, to)}.`));
        const before = collapsed(`${source.slice(0, from).replaceAll('|', '')}.`);
        expect(before.length - 1).toBe(index);
      }
    }),
  );
});
