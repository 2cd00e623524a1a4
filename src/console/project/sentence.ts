import type { ShownProblem } from '../parts/shown-problem.ts';

interface Summary {
  readonly title: string;
  /** Null when nothing was judged yet. */
  readonly status: string | null;
  readonly failed: number;
  readonly total: number;
}

/** A longer sentence stands below, with its evidence. */
const LONGEST = 60;

/** What a person would say of a site first. */
export function projectSentence({ title, status }: Summary, problems: readonly ShownProblem[]): string {
  const failing = problems.filter(({ severity }) => severity === 'failing');
  const [worst] = failing;
  if (worst !== undefined) {
    const parts = [worst.test?.name ?? '', worst.sentence.length > LONGEST ? '' : worst.sentence].filter((part) => part !== '');
    const what = parts.map((part) => `: ${part}`).join('');
    return `${title} ${worst.kind === 'uptime' ? 'is down' : 'is failing'}${what}.`;
  }
  if (problems.length > 0) return `${title} works, and needs attention.`;
  return status === null ? `No check of ${title} has run yet.` : `${title} is well.`;
}

/** The checks in figures. */
export function checksSentence({ status, failed, total }: Summary): string {
  if (total === 0) return 'No check is enabled.';
  if (status === null) return total === 1 ? 'Its check has not run yet.' : `None of its ${String(total)} checks has run yet.`;
  if (failed === 0) return total === 1 ? 'Its check passes.' : `All ${String(total)} checks pass.`;
  if (total === 1) return 'Its check fails.';
  return `${String(failed)} of ${String(total)} checks ${failed === 1 ? 'fails' : 'fail'}.`;
}
