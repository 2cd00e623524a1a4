import { jobOfExchange } from '../checker/evidence/exchange-of.ts';
import { SecretMask } from '../checker/steps/secret-mask.ts';
import { presentJudgedRules } from '../checker/evidence/judged-exchange.ts';
import { placed } from './read-site-file.ts';
import { resolveSecrets } from './secret-references.ts';
import { shortened } from '../kernel/text.ts';
import type { CheckRow } from '../projects/checks/check.view.ts';
import type { CliCommand } from '../platform/cli/command.ts';
import { type BuiltGroup, type BuiltSite, SiteBuilder } from './command-line/built-site.ts';
import { givenFiles, localSecrets } from './command-line/given-files.ts';
import { type FileProblem, type GivenSite, inOneLine, readSiteFiles } from './read-site-files.ts';

interface TriedRule {
  readonly owner: 'group' | 'own';
  readonly type: string;
  readonly op: string;
  readonly val: string;
  readonly result: 'passed' | 'failed';
  readonly sentence: string | null;
  readonly line: number | null;
  /** The bytes of the page in which the rule found what decided. */
  readonly bytes: readonly [from: number, to: number] | null;
  readonly text: string | null;
}

interface TriedCheck {
  readonly site: string;
  readonly group: string;
  readonly check: string;
  readonly url: string;
  readonly result: 'passed' | 'failed' | 'inconclusive';
  readonly httpStatus: number | null;
  readonly milliseconds: number | null;
  /** Failures of the answer as a whole. */
  readonly failures: readonly string[];
  readonly rules: readonly TriedRule[];
}

/** docs/site-files.md. */
export const command: CliCommand = {
  about: 'Run the checks of site files once from this machine, without a server; nothing is stored',
  args: ['[FILE...]'],
  run: async ({ input, output }) => {
    const { sites, problems } = readSiteFiles(givenFiles(input.args));
    const builder = new SiteBuilder();
    try {
      const built = await buildAll(sites, builder, problems);
      if (built.problems.length > 0) {
        output.result({ valid: false, problems: built.problems }, built.problems.map(inOneLine).join('\n'));
        return 2;
      }
      const tried: TriedCheck[] = [];
      for (const site of built.sites)
        for (const group of site.groups)
          for (const check of group.checks.filter(({ settings }) => settings.enabled))
            tried.push(await tryCheck(builder, site, group, check, built.mask));
      const failed = tried.filter(({ result }) => result !== 'passed').length;
      output.result({ passed: failed === 0, checks: tried }, () => [...tried.flatMap(detailsOf), sumOf(tried.length, failed)].join('\n'));
      return failed === 0 ? 0 : 1;
    } finally {
      await builder.close();
    }
  },
};

async function buildAll(
  sites: readonly GivenSite[],
  builder: SiteBuilder,
  before: readonly FileProblem[],
): Promise<{ readonly sites: readonly BuiltSite[]; readonly problems: readonly FileProblem[]; readonly mask: SecretMask }> {
  const [built, problems, secrets]: [BuiltSite[], FileProblem[], string[]] = [[], [...before], []];
  for (const given of sites) {
    try {
      secrets.push(...resolveSecrets(given.site, localSecrets(given.file)).values);
      const made = await builder.build(given);
      built.push(made.built);
      problems.push(...made.problems.map((problem) => ({ file: given.file, ...problem })));
    } catch (error) {
      problems.push(...placed(error, given.document, '').map((problem) => ({ file: given.file, ...problem })));
    }
  }
  return { sites: built, problems, mask: new SecretMask(secrets) };
}

async function tryCheck(
  builder: SiteBuilder,
  { project }: BuiltSite,
  { area, checks }: BuiltGroup,
  check: CheckRow,
  mask: SecretMask,
): Promise<TriedCheck> {
  const about = { site: project.id, group: area.settings.name, check: check.settings.name, url: check.settings.url };
  const nothing = { httpStatus: null, milliseconds: null, rules: [] };
  const trials = await builder.trials();
  try {
    const trial = await trials.run(project, area, check, checks);
    if (trial.kind === 'inconclusive') return { ...about, ...nothing, result: 'inconclusive', failures: [trial.reason] };
    const { exchange, body } = trial;
    const job = body === null ? null : jobOfExchange(exchange, body);
    const ranges = job === null ? [] : await trials.locate(job, project.payerId);
    const rules = presentJudgedRules(exchange.judged, ranges).map(({ bytes, ...rule }): TriedRule => {
      const found = bytes === null || body === null || (bytes.from === 0 && bytes.to === body.length) ? null : bytes;
      return {
        ...rule,
        line: found?.line ?? null,
        bytes: found === null ? null : [found.from, found.to],
        text: found === null || body === null ? null : oneLine(mask.text(Buffer.from(body.subarray(found.from, found.to)).toString())),
      };
    });
    const failures = [
      ...(exchange.reason === null ? [] : [exchange.reason]),
      ...(exchange.judged?.failures.flatMap(({ rule, sentence }) => (rule === null ? [sentence] : [])) ?? []),
    ];
    const passes = failures.length === 0 && rules.every(({ result }) => result === 'passed');
    const { answer, timings } = exchange;
    return {
      ...about,
      result: passes ? 'passed' : 'failed',
      httpStatus: answer?.status ?? null,
      failures,
      rules,
      milliseconds: Math.round(timings.total),
    };
  } catch (error) {
    // Such as a value that an earlier check of its group did not give.
    return { ...about, ...nothing, result: 'failed', failures: [error instanceof Error ? error.message : String(error)] };
  }
}

const MAX_QUOTED = 80;
const oneLine = (text: string): string => shortened(text.replaceAll(/\s+/g, ' ').trim(), MAX_QUOTED);

const MARKS = { passed: '✓', failed: '✗', inconclusive: '?' } as const;

const nameOf = ({ site, group, check }: TriedCheck): string => `${site} / ${group} / ${check}`;

function lineOf(tried: TriedCheck): string {
  const { result, httpStatus, milliseconds } = tried;
  return `${MARKS[result]} ${nameOf(tried)}${httpStatus === null ? '' : `: ${String(httpStatus)} in ${String(milliseconds ?? 0)} ms`}`;
}

/** Each check with what decided. */
function detailsOf(tried: TriedCheck): readonly string[] {
  return [
    lineOf(tried),
    ...tried.failures.map((failure) => `    ${MARKS[tried.result]} ${failure}`),
    ...tried.rules.map(({ owner, type, op, val, result, sentence, line, bytes, text }) => {
      const rule = `${owner === 'group' ? 'group rule ' : ''}${type} ${op} ${JSON.stringify(shortened(val, MAX_QUOTED))}`;
      const where = bytes === null ? '' : `, line ${String(line)}, bytes ${String(bytes[0])} to ${String(bytes[1])}: ${text ?? ''}`;
      return `    ${MARKS[result]} ${rule}${sentence === null ? '' : `: ${sentence}`}${where}`;
    }),
  ];
}

function sumOf(all: number, failed: number): string {
  if (all === 0) return 'There is no enabled check.';
  return failed === 0 ? `All ${String(all)} checks pass.` : `${String(failed)} of ${String(all)} checks do not pass.`;
}
