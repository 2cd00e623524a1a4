import { validateSync } from 'class-validator';
import { AuthenticateDto } from '../src/accounts/sign-in/authenticate.api.ts';
import { type InputClass, instanceOf, readInput } from '../src/platform/http/validation/input.ts';
import { CheckDto } from '../src/projects/checks/check.api.ts';
import { UpdateProjectDto } from '../src/projects/project.api.ts';
import { SiteFile } from '../src/site-files/site-file.dto.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';

const ROUNDS = 9;

const rules = [
  { type: 'status', op: 'eq', val: '200' },
  { type: 'title', op: 'sub', val: 'Shop' },
];
const checks = Array.from({ length: 200 }, (_, n) => ({ name: `check ${String(n)}`, url: `/${String(n)}`, rules }));
const settings = { title: 'Shop', period: '5 minutes', location: 'eu', timeout: 3, tags: ['shop'], uptimeEnabled: '60' };

interface Case {
  readonly what: string;
  readonly input: InputClass;
  readonly given: object;
  readonly times: number;
}

const cases: readonly Case[] = [
  { what: 'a sign-in', input: AuthenticateDto, given: { email: 'ada@example.com', password: 'correct horse' }, times: 5_000 },
  { what: 'six settings of a project', input: UpdateProjectDto, given: settings, times: 5_000 },
  { what: 'a check with two rules', input: CheckDto, given: { url: '/about', name: 'About', rules }, times: 5_000 },
  {
    what: 'a site file with 200 checks',
    input: SiteFile,
    given: { key: 'shop', url: 'https://shop.example', groups: [{ name: 'Public', checks }] },
    times: 20,
  },
];

/** CPU microseconds for one of many. */
function costOf(work: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) work();
  const { user, system } = process.cpuUsage(before);
  return Promise.resolve((user + system) / times);
}

/** Reading an input without a fault, against class-validator alone. */
const bench: Bench = async () => {
  const figures = [];
  for (const { what, input, given, times } of cases) {
    const alone = (): unknown => validateSync(instanceOf(input, given) as object, { stopAtFirstError: true, forbidUnknownValues: false });
    const { walk, validator } = await inTurns(ROUNDS, {
      walk: () => costOf(() => readInput(input, given), times),
      validator: () => costOf(alone, times),
    });
    figures.push(
      figure(`reading ${what}, of CPU, against class-validator alone`, walk, 'µs', { ceiling: validator, goal: { ratioAtMost: 0.3 } }),
    );
  }
  return figures;
};

export default bench;
