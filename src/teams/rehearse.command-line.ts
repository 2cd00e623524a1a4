import { ofService } from '../app/companions.ts';
import { readLogInstant } from '../platform/log/log-instant.ts';
import type { Log } from '../platform/log/log.ts';
import { rehearseEvents, type Rehearsed } from './reactors/rehearse.ts';
import { type CliCommand, type CliOutput, WrongUse } from '../platform/cli/command.ts';
import { interruptible } from '../platform/cli/terminal.ts';
import { withResources } from '../app/with-parts.ts';
import { Teams } from './teams.ts';

/** Bounds the events that are held in memory to be shown; the rest of a long history is only counted. */
const MOST_SHOWN = 10_000;

export const command: CliCommand = {
  about: 'Run a reactor of PROJECTIONS over history with its effects recorded instead of made, and print what it would have done',
  args: ['NAME'],
  options: {
    from: { type: 'string', value: 'TIME|POSITION', about: 'the first event; default: the beginning' },
    to: { type: 'string', value: 'TIME|POSITION', about: 'the last event; default: the newest' },
  },
  run: ({ input, config: read, output }) => {
    const config = read();
    return withResources(config, output, (resources) =>
      interruptible(async (signal) => {
        const teams = await Teams.load(config, resources.logger, ofService);
        try {
          const [name = ''] = input.args;
          const found = teams.reactor(name);
          if (found === null) throw new WrongUse(`no package of PROJECTIONS has a reactor ${name}`);
          const after = await positionOf(resources.log, input.text('from'), '--from', -1);
          const until = await positionOf(resources.log, input.text('to'), '--to', await resources.log.head());
          return await show(rehearseEvents({ ...found, log: resources.log, after, until, signal }), output);
        } finally {
          await teams.close();
        }
      }),
    );
  },
};

/** An instant names the last event until then; as the beginning it is the event before the first one. */
async function positionOf(log: Log, given: string | undefined, option: string, otherwise: number): Promise<number> {
  if (given === undefined) return otherwise;
  const { n } = await readLogInstant(log, given, option).catch((error: unknown) => {
    throw new WrongUse(error instanceof Error ? error.message : String(error));
  });
  return option === '--from' && /^\d+$/.test(given) ? n - 1 : n;
}

async function show(rehearsing: AsyncIterable<Rehearsed>, output: CliOutput): Promise<number> {
  const shown: Rehearsed[] = [];
  let [events, effects, failed] = [0, 0, 0];
  for await (const one of rehearsing) {
    if (shown.length < MOST_SHOWN) shown.push(one);
    events++;
    effects += one.effects.length;
    if (one.error !== null) failed++;
  }
  const notShown = events - shown.length;
  output.result({ events: shown, notShown, effects, failed }, () =>
    [
      ...shown.flatMap(linesOf),
      ...(notShown === 0 ? [] : [`… and ${String(notShown)} events that are not shown: choose fewer with --from and --to`]),
      `${String(events)} events, ${String(effects)} effects${failed === 0 ? '' : `, ${String(failed)} events that it cannot handle`}; none was made.`,
    ].join('\n'),
  );
  return failed === 0 ? 0 : 1;
}

const linesOf = ({ n, type, scope, recordedAt, effects, error }: Rehearsed): readonly string[] => [
  `${String(n)}  ${recordedAt}  ${type}  ${scope}`,
  ...effects.map(({ kind, id, summary, body }) => `    ${kind}  ${summary}${body === null ? '' : `  ${body}`}  (${id})`),
  ...(error === null ? [] : [`    fails: ${error}`]),
];
