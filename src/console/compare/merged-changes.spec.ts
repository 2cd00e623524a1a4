import { describe, expect, it } from '@jest/globals';
import { mergedChanges } from './changed-things.ts';

const change = (path: string, from: unknown, to: unknown, event: string) => ({ path, from, to, events: [event] });

describe('pages of a comparison', () => {
  it('become one from the first value to the last, with the events of all', () => {
    const pages = [
      [change('project.title', 'A', 'B', 'e1')],
      [change('project.title', 'B', 'C', 'e2'), change('project.delay', 0, 5, 'e3')],
    ];
    expect(mergedChanges(pages)).toEqual([
      { path: 'project.title', from: 'A', to: 'C', events: ['e1', 'e2'] },
      { path: 'project.delay', from: 0, to: 5, events: ['e3'] },
    ]);
  });

  it('name nothing that changed back', () => {
    expect(mergedChanges([[change('project.title', 'A', 'B', 'e1')], [change('project.title', 'B', 'A', 'e2')]])).toEqual([]);
  });
});
