import { describe, expect, it } from '@jest/globals';
import { exampleOf } from './example.ts';
import { flag, integer, list, named, orNull, record, text, word } from './schema.ts';

const person = named(
  'Person',
  record('A person', { name: text('Name', { examples: ['Ada'] }), admin: flag('Whether they administer') }, { note: text('A note') }),
);

describe('the example of a schema', () => {
  it('is made of the examples of its fields, without optional members', () => {
    const schema = record('A team', {
      lead: person,
      members: list(person, 'Members'),
      kind: word(['open', 'closed'], 'Kind'),
      seats: integer('Seats', { minimum: 1, default: 5 }),
      left: integer('Seats that are left', { minimum: 0 }),
    });
    const ada = { name: 'Ada', admin: true };
    expect(exampleOf(schema)).toEqual({ lead: ada, members: [ada], kind: 'open', seats: 5, left: 0 });
  });

  it('is null where that is possible and there is nothing to show', () => {
    const schema = record('A person', {
      mail: orNull(text('Mail')),
      phone: orNull(text('Phone', { examples: ['1'] })),
      role: orNull(word(['a', 'b'], 'Role')),
      lead: orNull(person),
    });
    expect(exampleOf(schema)).toEqual({ mail: null, phone: '1', role: null, lead: { name: 'Ada', admin: true } });
  });

  it('differs where a call says so', () => {
    expect(exampleOf(person, { name: 'Bob', note: 'new' })).toEqual({ name: 'Bob', admin: true, note: 'new' });
    expect(exampleOf(list(person, 'Persons'), [{ name: 'Bob', admin: false }])).toEqual([{ name: 'Bob', admin: false }]);
  });

  it('names the field that has none', () => {
    expect(() => exampleOf(record('A person', { name: text('Name of the person') }))).toThrow('no example: Name of the person');
  });
});
