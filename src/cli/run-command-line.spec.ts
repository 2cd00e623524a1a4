import { describe, expect, it } from '@jest/globals';
import { type Config, ConfigInvalid } from '../config.ts';
import { commandTable } from './command-table.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { runCommandLine } from './run-command-line.ts';

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
