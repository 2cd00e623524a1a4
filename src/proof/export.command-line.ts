import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OBJECT_ID } from '../kernel/ids.ts';
import { readInstant } from '../kernel/instants.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { type CliCommand, type CliInput, WrongUse } from '../platform/cli/command.ts';
import { onReplica, withResources } from '../app/with-parts.ts';
import { projectStream } from '../kernel/stream-names.ts';

export const command: CliCommand = {
  about: 'Export the whole history of a project with its proofs: verify it with `watchledger verify FILE --key VKEY`',
  args: ['PROJECT'],
  options: {
    from: { type: 'string', value: 'TIME', about: 'ISO 8601 (default: the beginning)' },
    to: { type: 'string', value: 'TIME', about: 'ISO 8601 (default: now)' },
    out: { type: 'string', value: 'FILE', about: 'output file (default: standard output)' },
  },
  run: async ({ input, output, config }) => {
    const [project = ''] = input.args;
    if (!OBJECT_ID.test(project)) throw new WrongUse(`PROJECT: '${project}' is not a project id`);
    const [from, to] = [instantOf(input, 'from'), instantOf(input, 'to')];
    return withResources(config(), output, async (resources) =>
      onReplica(resources, async () => {
        const { seal, log } = resources;
        const scope = projectStream(project);
        // The history of a deleted project remains.
        if ((await log.read({ after: -1, scope, limit: 1 })).length === 0) throw new StartRefused(`project not found: ${project}`);
        const lines = Readable.from(await seal.ledger.export(project, scope, { from, to }));
        const file = input.text('out');
        const keys = await seal.ledger.verifierKeys();
        const check = (name: string): string => `Check it with: watchledger verify ${name} --key ${keys.join(',')}`;
        if (file === undefined) {
          // The lines are the result, with and without --json.
          await pipeline(lines, process.stdout, { end: false });
          output.say(check('FILE'));
        } else {
          await pipeline(lines, createWriteStream(file));
          output.result({ project, file, keys }, `${file}: the history of project ${project}\n${check(file)}`);
        }
        return 0;
      }),
    );
  },
};

function instantOf(input: CliInput, name: string): string | null {
  const text = input.text(name);
  if (text === undefined) return null;
  const read = readInstant(text);
  if (read.kind === 'invalid') throw new WrongUse(`--${name}: ${read.reason}`);
  return read.utc;
}
