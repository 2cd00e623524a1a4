import { describe, expect, it } from '@jest/globals';
import { Gathered } from './gathered.ts';

const recorded = (): { readonly asked: (readonly string[])[]; readonly gathered: Gathered<string> } => {
  const asked: (readonly string[])[] = [];
  const gathered = new Gathered<string>((keys) => {
    asked.push(keys);
    if (keys.includes('broken')) return Promise.reject(new Error('away'));
    return Promise.resolve(new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()])));
  });
  return { asked, gathered };
};

describe('Gathered', () => {
  it('asks once for everything that one turn wanted, and each key once', async () => {
    const { asked, gathered } = recorded();
    const answers = await Promise.all(['a', 'b', 'a', 'missing'].map((key) => gathered.of(key)));
    expect(answers).toEqual(['A', 'B', 'A', undefined]);
    expect(asked).toEqual([['a', 'b', 'missing']]);
  });

  it('does not let a later turn join what was sent', async () => {
    const { asked, gathered } = recorded();
    const first = gathered.of('a');
    await new Promise((done) => setImmediate(done));
    const second = gathered.of('a');
    expect(await Promise.all([first, second])).toEqual(['A', 'A']);
    expect(asked).toEqual([['a'], ['a']]);
  });

  it('tells a failure to all who asked together, and to nobody after', async () => {
    const { gathered } = recorded();
    const answers = await Promise.allSettled([gathered.of('a'), gathered.of('broken')]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await gathered.of('a')).toBe('A');
  });
});
