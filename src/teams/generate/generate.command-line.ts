import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { nameProblem } from '../../platform/read-models/authoring/define-projection.ts';
import { type CliAction, type CliCommand, WrongUse } from '../../platform/cli/command.ts';

/** `name`: of the projection, such as `failures_by_hour`; `file`: of its files, such as `failures-by-hour`. */
interface ProjectionNames {
  readonly name: string;
  readonly file: string;
}

/** A minimal working projection for teams to change. */
const projectionText = ({ name }: ProjectionNames): string => `import { defineProjection, scopeId } from 'watchledger/projection';

/** How often checks failed, by project: put your own tables and events in the place of these. */
export default defineProjection({
  name: '${name}',
  // Raise it with every change of a table or a handler: the new version is filled beside the old one, then takes its place.
  version: 1,
  tables: ['CREATE TABLE failures (project text PRIMARY KEY, times bigint NOT NULL)'],
  on: {
    // Your editor lists every event here, and its fields behind "event.data.".
    CheckFailed: (event, tx) => {
      tx.add('failures', { project: scopeId(event) }, { times: 1 });
    },
  },
});
`;

const specText = ({ name, file }: ProjectionNames): string => `import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { occurred, projectionContract, projectionSpec, type SpecDatabase, specDatabase } from 'watchledger/projection';
import projection from './${file}.projection.ts';

let database: SpecDatabase;
beforeAll(async () => {
  database = await specDatabase();
});
afterAll(() => database.drop());

const failed = (project: string, at: string) =>
  occurred(\`project-\${project}\`, 'CheckFailed', {
    checkId: 'check',
    since: at,
    failing: { status: 'error', rules: ['status'], failures: ['expected status 200, got 500'] },
    confirmed: true,
    evidence: { runId: 'run', url: 'https://shop.example', at, location: 'eu', httpStatus: 500, milliseconds: 80, page: null },
  });
const events = [failed('a', '2026-03-01T09:10:00.000Z'), failed('b', '2026-03-01T10:20:00.000Z'), failed('a', '2026-03-02T11:30:00.000Z')];

describe('${name}', () => {
  it('counts the failures of each project', async () => {
    await projectionSpec(projection, database.pool)
      .given(events)
      .thenRows('failures', [
        { project: 'a', times: '2' },
        { project: 'b', times: '1' },
      ]);
  });

  // What the service relies on, whatever is shown: rebuilds, redelivery, order.
  it.each(projectionContract(projection).map((law) => [law.says, law] as const))('%s', async (_says, law) => {
    await law.check(events, database.pool);
  });
});
`;

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
