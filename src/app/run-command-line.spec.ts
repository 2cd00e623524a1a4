import { describe, expect, it } from '@jest/globals';
import { type Config, ConfigInvalid } from '../platform/config/config.ts';
import { ApiError, NoAnswer } from '../client/api-error.ts';
import { commandTable } from './command-table.ts';
import { parseCommandLine } from '../platform/cli/parse-command-line.ts';
import { outputOn, runCommandLine } from './run-command-line.ts';
import { reasonOfAnswer } from '../platform/cli/server/connect.ts';

async function run(...argv: string[]) {
  const written = { out: '', err: '', status: -1 };
  const config = (): Config => {
    throw new ConfigInvalid(['PORT: must be a whole number', 'ROLES: must be one of api']);
  };
  written.status = await runCommandLine(
    argv,
    { out: (text) => (written.out += `${text}\n`), err: (text) => (written.err += `${text}\n`) },
    config,
  );
  return written;
}

describe('the command line', () => {
  it('lists the commands on standard output when asked for help', async () => {
    const { status, out, err } = await run('--help');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/doctor +diagnose this installation/);
  });

  it.each([[[]], [['dance']], [['__proto__']], [['doctor', '--fast']], [['doctor', 'extra']], [['doctor', '--json=yes']]])(
    'rejects %j with status 2 and nothing on standard output',
    async (argv) => {
      const { status, out, err } = await run(...argv);
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(err).toMatch(/^watchledger: .+\nTry: watchledger (doctor )?--help\n$/);
    },
  );

  it('prints help although the configuration is invalid', async () => {
    const { status, out } = await run('doctor', '--help');
    expect(status).toBe(0);
    expect(out).toMatch(/^Usage: watchledger doctor \[options\]/);
  });

  it.each(Object.keys(commandTable))('%s and each of its actions have --help and --json', async (name) => {
    const { command } = await (commandTable[name]?.load() ?? Promise.reject(new Error(name)));
    const words = 'actions' in command ? Object.keys(command.actions).map((action) => [name, action]) : [[name]];
    for (const argv of [[name], ...words]) {
      const { status, out, err } = await run(...argv, '--help');
      expect({ argv, status, err }).toEqual({ argv, status: 0, err: '' });
      expect(out).toMatch(new RegExp(`^Usage: watchledger ${argv.join(' ')} `));
    }
    for (const argv of words) expect((await run(...argv, '--help')).out).toMatch(/^ {2}--json .*\n {2}--help /m);
    expect((await run(name, '--dance')).status).toBe(2);
  });

  it('reports an invalid configuration as findings of doctor', async () => {
    const { status, out } = await run('doctor', '--json');
    expect(status).toBe(1);
    const { healthy, findings } = JSON.parse(out) as { healthy: boolean; findings: { name: string; state: string }[] };
    expect(healthy).toBe(false);
    expect(findings.filter(({ name, state }) => name === 'configuration' && state === 'fail')).toHaveLength(2);
  });
});

describe('arguments of an action', () => {
  const action = {
    about: '',
    args: ['EMAIL', '[NAME]'],
    options: { plan: { type: 'string', about: '' } },
    run: () => Promise.resolve(0),
  } as const;

  it('reads options at any place, and optional arguments', () => {
    const input = parseCommandLine(action, ['a@b.example', '--plan', 'free', '--json']);
    expect({ args: input.args, plan: input.text('plan'), json: input.flag('json'), none: input.text('none') }).toEqual({
      args: ['a@b.example'],
      plan: 'free',
      json: true,
      none: undefined,
    });
  });

  it('names missing and unexpected arguments', () => {
    expect(() => parseCommandLine(action, [])).toThrow('EMAIL is missing');
    expect(() => parseCommandLine(action, ['a', 'b', 'c'])).toThrow("unexpected argument 'c'");
    expect(() => parseCommandLine(action, ['a', '--plan'])).toThrow(/--plan/);
  });
});

it('spells control characters out that names of others bring to a terminal, and leaves colours and JSON', () => {
  const written: string[] = [];
  const streams = { out: (text: string) => written.push(text), err: (text: string) => written.push(text) };
  const hostile = '\u001b[2J\u001b]0;title\u0007 \u009b2K a\rb \u202edcba \u001b[31mred\u001b[0m\n\tend';
  outputOn(streams, false).result({}, hostile);
  outputOn(streams, false).say(hostile);
  const shown = '\\u001b[2J\\u001b]0;title\\u0007 \\u009b2K a\\u000db \\u202edcba \u001b[31mred\u001b[0m\n\tend';
  expect(written.splice(0)).toEqual([shown, shown]);
  outputOn(streams, true).result({ hostile }, hostile);
  expect(JSON.parse(written.join(''))).toEqual({ hostile });
});

it('says what can be done about a server that refuses or does not answer', () => {
  const refused = (status: number) => new ApiError('POST /projects/plan', status, new Headers(), { message: 'No.' });
  expect(reasonOfAnswer(refused(401))).toContain('does not accept the token of WATCHLEDGER_TOKEN or --token-file');
  expect(reasonOfAnswer(refused(403))).toBe('No. The account of the token may lack the right for it.');
  expect(reasonOfAnswer(refused(409))).toBe('No.');
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  expect(reasonOfAnswer(new NoAnswer('POST /projects/plan', 'network', cause))).toBe(
    'POST /projects/plan could not be sent, or its answer broke off (connect ECONNREFUSED 127.0.0.1:1); is the address of --server or WATCHLEDGER_URL right?',
  );
  expect(reasonOfAnswer(new Error('other'))).toBeNull();
});
