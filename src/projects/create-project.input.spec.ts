import { describe, expect, it } from '@jest/globals';
import { InvalidInput } from '../kernel/errors.ts';
import { fieldSchemas, readInput } from '../platform/http/validation/input.ts';
import { CreateProjectDto, readCreateProject } from './create-project.input.ts';
import { UpdateProjectDto } from './project.api.ts';

const url = 'https://example.com';

/** The problems of a refusal; none when the input is accepted. */
function problemsOf(read: () => unknown): readonly unknown[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems;
    throw error;
  }
}

describe('the body of a project creation', () => {
  it('takes every writable field that a change takes, under the same schema', () => {
    const writable = Object.entries(fieldSchemas(UpdateProjectDto)).filter(([name, { readOnly }]) => name !== 'url' && readOnly !== true);
    expect(writable.map(([name]) => name)).toContain('title');
    expect(fieldSchemas(CreateProjectDto)).toMatchObject(Object.fromEntries(writable));
  });

  it.each([
    { title: '' },
    { title: null },
    { timeout: 61 },
    { period: '2 minutes' },
    { uptimeEnabled: '45' },
    { uptimeUrl: 'ftp://example.com' },
    { userAgent: 'a\r\nX-Evil: 1' },
    { timeout: 0, delay: -1, titel: 'Shop' },
  ])('refuses %j with the problems that a change has', (given) => {
    const problems = problemsOf(() => readCreateProject({ url, ...given }, 'body'));
    expect(problems).not.toEqual([]);
    expect(problems).toEqual(problemsOf(() => readInput(UpdateProjectDto, given)));
  });

  it('reads the spellings of old clients', () => {
    const given = { url, uptimeEnabled: 30, timeout: '9', checkDefaultErrors: '0', period: false, title: ' Shop ' };
    expect(readCreateProject(given, 'body').settings).toEqual({
      ...{ url, uptimePeriod: '30', timeout: 9, checkDefaultErrors: false, period: 'false', title: 'Shop' },
    });
  });

  it('sets nothing but the url for a body without settings', () => {
    expect(readCreateProject({ url, addPresetChecks: null, checkInterval: null }, 'body')).toMatchObject({
      preset: false,
      period: null,
      settings: { url },
    });
  });

  it('keeps an uptime url that equals the url following it', () => {
    expect(readCreateProject({ url, uptimeUrl: url }, 'body').settings).toEqual({ url });
  });

  it.each([
    ['the other', { checkInterval: false, period: '1 hour' }, ['period: must be the same as checkInterval where both are given']],
    ['the same', { checkInterval: false, period: 'false' }, []],
    ['none', { checkInterval: null, period: '1 hour' }, []],
  ])('compares `period` with `checkInterval`: %s', (_, given, messages) => {
    const problems = problemsOf(() => readCreateProject({ url, ...given }, 'body'));
    expect(problems).toEqual(messages.map((message) => ({ message, param: 'period' })));
  });

  it.each([{ id: 'a'.repeat(24) }, { payerId: 7 }])('refuses a field that cannot be written: %j', (given) => {
    expect(problemsOf(() => readCreateProject({ url, ...given }, 'body'))).toHaveLength(1);
  });

  it('takes no settings from a query', () => {
    expect(problemsOf(() => readCreateProject({ url, title: 'Shop' }, 'query'))).toMatchObject([{ param: 'title' }]);
  });
});
