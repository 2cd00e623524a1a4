import { describe, expect, it } from '@jest/globals';
import { helpOfAction, outputOn } from '../../app/run-command-line.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { WATCH, watched } from './watched.ts';

const action = { about: 'List', args: ['[NAME]'], options: WATCH, run: () => Promise.resolve(0) } as const;
const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** Runs rounds until there is one for each outcome; a number is the status of a round, an error what it throws. */
async function run(outcomes: readonly (number | Error)[], { argv = ['--watch=0.1'], isTerminal = false } = {}) {
  const closing = new AbortController();
  const [out, err]: [string[], string[]] = [[], []];
  const streams = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), isTerminal, closed: closing.signal };
  let round = 0;
  const input = parseCommandLine(action, argv);
  const status = await watched(input, outputOn(streams, input.flag('json')), (output) => {
    const outcome = outcomes[round++];
    if (round >= outcomes.length) closing.abort();
    if (outcome instanceof Error) return Promise.reject(outcome);
    output.result({ round }, () => `round ${String(round)}`);
    return Promise.resolve(outcome ?? 0);
  });
  return { status, out, err };
}

describe('--watch', () => {
  it('shows one block after another, a line of JSON each, or clears the terminal', async () => {
    expect(await run([1, 0, 1])).toEqual({ status: 0, out: ['round 1\n', 'round 2\n', 'round 3\n'], err: [] });
    expect((await run([0, 0], { argv: ['--json', '--watch=0.1'] })).out).toEqual(['{"round":1}', '{"round":2}']);
    expect((await run([0], { isTerminal: true })).out).toEqual(['\u001b[H\u001b[Jround 1']);
  });

  it('shows the result once and answers its status without it', async () => {
    expect(await run([1], { argv: [] })).toEqual({ status: 1, out: ['round 1'], err: [] });
  });

  it('tries again after a lost connection, but not when the first round fails, or for another reason', async () => {
    expect(await run([0, lost, 0])).toMatchObject({
      status: 0,
      out: ['round 1\n', 'round 3\n'],
      err: [expect.stringContaining('ECONNREFUSED')],
    });
    await expect(run([lost, 0])).rejects.toThrow(lost);
    await expect(run([0, new Error('no such projection')])).rejects.toThrow('no such projection');
  });

  it('ends with Ctrl-C', async () => {
    const input = parseCommandLine(action, ['--watch']);
    const output = outputOn({ out: () => undefined, err: () => undefined }, false);
    const ended = watched(input, output, () => {
      process.emit('SIGINT');
      return Promise.resolve(1);
    });
    expect(await ended).toBe(0);
  });

  it('is every two seconds without a value, which needs an equals sign', () => {
    expect(parseCommandLine(action, ['--watch', 'name']).text('watch')).toBe('2');
    expect(parseCommandLine(action, ['--watch=0.5']).text('watch')).toBe('0.5');
    expect(parseCommandLine(action, ['--', '--watch']).text('watch')).toBeUndefined();
    for (const value of ['0', '0.05', '3601', '1e1', '-1', '', 'x'])
      expect(() => parseCommandLine(action, [`--watch=${value}`])).toThrow(
        `--watch: must be a number of seconds from 0.1 to 3,600, found "${value}"`,
      );
    expect(helpOfAction('x', action)).toContain('--watch[=SECONDS]');
  });
});
