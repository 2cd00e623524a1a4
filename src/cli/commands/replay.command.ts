import { type CliCommand, WrongUse } from '../command.ts';
import { interruptible } from '../interruptible.ts';
import { alone } from '../replay/alone.ts';
import { compare } from '../replay/compare.ts';
import { intoSchema, readWanted } from '../replay/into-schema.ts';
import { withParts } from '../with-parts.ts';

export const command: CliCommand = {
  about:
    'Fold the read models again from the log, beside the live ones, and compare row by row: exit status 1 with the names of what differs. Changes nothing',
  options: {
    projection: { type: 'string', value: 'NAME', about: 'this one only' },
    until: { type: 'string', value: 'TIME', about: 'ISO 8601, with --into: compare nothing, but leave the read models as they were then' },
    into: { type: 'string', value: 'SCHEMA', about: 'a new schema of the database for them, to be read with SQL' },
  },
  run: ({ input, output, config: read }) => {
    const wanted = readWanted(input.text('until'), input.text('into'));
    const only = input.text('projection');
    if (wanted !== null && only !== undefined) throw new WrongUse('--projection is for comparing; --into leaves all of them');
    const config = read();
    return withParts(config, output, (parts) =>
      interruptible((signal) =>
        alone(parts.pool, () =>
          wanted === null ? compare(parts, config, output, signal, only) : intoSchema(parts, config, wanted, output, signal),
        ),
      ),
    );
  },
};
