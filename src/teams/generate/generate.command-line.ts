import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { nameProblem } from '../../platform/read-models/authoring/define-projection.ts';
import { type CliAction, type CliCommand, WrongUse } from '../../platform/cli/command.ts';
import { type ProjectionNames, projectionText, specText } from './projection-template.ts';

const FOLDER = 'teams';

export const projection: CliAction = {
  about: 'Generate a projection and its test, ready to run',
  args: ['NAME'],
  options: { folder: { type: 'string', value: 'FOLDER', about: `the folder to write to (default: ${FOLDER})` } },
  run: async ({ input, output }) => {
    const names = namesOf(input.args[0] ?? '');
    const folder = input.text('folder') ?? FOLDER;
    const files: Readonly<Record<string, string>> = {
      [join(folder, `${names.file}.projection.ts`)]: projectionText(names),
      [join(folder, `${names.file}.int-spec.ts`)]: specText(names),
    };
    const existing = Object.keys(files).find((file) => existsSync(file));
    if (existing !== undefined) {
      output.say(`watchledger: ${existing} exists already; nothing was written`);
      return 1;
    }
    await mkdir(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(file, text, { flag: 'wx' });
    const [first = '', test = ''] = Object.keys(files);
    const path = pathOf(first);
    output.result({ name: names.name, files: Object.keys(files) }, () =>
      [
        `Wrote ${first} and ${test}.`,
        '',
        `Test it:   npm test -- ${join(folder, names.file)}`,
        `Run it:    PROJECTIONS=${path} npm start`,
        `Query it:  npm run cli -- projections query 'SELECT * FROM p_${names.name}.failures'`,
        '',
        'Continue with docs/projections.md.',
      ].join('\n'),
    );
    return 0;
  },
};

function namesOf(given: string): ProjectionNames {
  const name = given.replaceAll('-', '_');
  const problem = nameProblem(name);
  if (problem !== null) throw new WrongUse(problem);
  return { name, file: name.replaceAll('_', '-') };
}

/** As `PROJECTIONS` reads it: a path, not the name of a package. */
function pathOf(file: string): string {
  if (isAbsolute(file)) return file;
  return `./${relative(process.cwd(), resolve(file)).split(sep).join('/')}`;
}

export const command: CliCommand = { about: 'Generate source files to start from', actions: { projection } };
