import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { readInstant } from '../../kernel/instants.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { type CliCommand, type CliInput, WrongUse } from '../command.ts';
import { withParts } from '../with-parts.ts';
import { projectStream } from '../../domain/stream-names.ts';

export const command: CliCommand = {
  about: 'Write the whole history of a project as a file that proves itself: check it with `watchledger verify FILE --key VKEY`',
  args: ['PROJECT'],
  options: {
    from: { type: 'string', value: 'TIME', about: 'ISO 8601, from the beginning unless given' },
    to: { type: 'string', value: 'TIME', about: 'ISO 8601, until now unless given' },
    out: { type: 'string', value: 'FILE', about: 'where to write; standard output unless given' },
  },
  run: async ({ input, output, config }) => {
    const [project = ''] = input.args;
    if (!OBJECT_ID.test(project)) throw new WrongUse(`'${project}' is no id of a project`);
    const [from, to] = [instantOf(input, 'from'), instantOf(input, 'to')];
    return withParts(config(), output, async ({ seal, log }) => {
      const scope = projectStream(project);
      // One that was deleted has its history still.
      if ((await log.read({ after: -1, scope, limit: 1 })).length === 0) throw new StartRefused(`there never was a project ${project}`);
      const lines = Readable.from(await seal.ledger.export(project, scope, from, to));
      const file = input.text('out');
      const keys = await seal.ledger.verifierKeys();
      const check = (name: string): string => `Check it with: watchledger verify ${name} --key ${keys.join(',')}`;
      if (file === undefined) {
        // The lines themselves are the result, for people and programs alike.
        await pipeline(lines, process.stdout, { end: false });
        output.say(check('FILE'));
      } else {
        await pipeline(lines, createWriteStream(file));
        output.result({ project, file, keys }, `${file}: the history of project ${project}\n${check(file)}`);
      }
      return 0;
    });
  },
};

function instantOf(input: CliInput, name: string): string | null {
  const text = input.text(name);
  if (text === undefined) return null;
  const read = readInstant(text);
  if (read.kind === 'invalid') throw new WrongUse(`--${name}: ${read.reason}`);
  return read.utc;
}
