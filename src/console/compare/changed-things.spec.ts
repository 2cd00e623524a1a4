import { expect, it } from '@jest/globals';
import { thingOf } from './changed-things.ts';

it('names what differs as a person reads it, and by its path where it has no name', () => {
  const names = new Map([['tests/1', 'Check Homepage']]);
  expect(thingOf('project.sslExpiration', names)).toBe('End of the certificate');
  expect(thingOf('tests/1.status.lastChange', names)).toBe('Check Homepage: last change');
  expect(thingOf('tests/2', names)).toBe('tests/2');
});
