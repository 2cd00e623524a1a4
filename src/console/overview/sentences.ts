import type { Schemas } from '../../client.ts';
import type { KnownProblems, SiteFilter } from './shown-sites.ts';

/** What the first line of the overview says. */
export interface Counted {
  readonly total: number;
  readonly attention: number;
  readonly inMaintenance: number;
  readonly unknown: number;
  readonly isComplete: boolean;
}

/** The sites that are well by their verdicts, but whose uptime is not being measured, as far as their figures were read. */
interface Unmeasured {
  readonly count: number;
  readonly isPast: boolean;
}

/** How many of these sites are not being measured and have no problem: their last verdict says nothing of now. */
export const unmeasuredIn = (
  figures: Iterable<Pick<Schemas['ProjectFigures'], 'id' | 'state'>>,
  problems: ReadonlyMap<string, unknown>,
): number => [...figures].filter(({ id, state }) => state === 'unknown' && !problems.has(id)).length;

const ALL_MEASURED: Unmeasured = { count: 0, isPast: false };

const count = (number: number, one: string, many: string): string => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

export function overviewSentence({ total, attention, unknown, isComplete }: Counted, unmeasured = ALL_MEASURED): string {
  if (total === 0) return unmeasured.isPast ? 'Nothing was watched then.' : 'Nothing is watched yet.';
  if (attention === 0 && unknown === total) return 'No check has run yet.';
  if (attention === 0 && unmeasured.count >= total && !unmeasured.isPast) return 'Measurements are still to come.';
  if (attention === 0 && unknown + unmeasured.count > 0) return 'No site needs attention.';
  if (attention === 0) return total === 1 ? 'The site is well.' : `All ${total.toLocaleString('en')} sites are well.`;
  const least = isComplete ? '' : 'At least ';
  const verb = attention === 1 ? 'needs' : 'need';
  return `${least}${attention.toLocaleString('en')} of ${count(total, 'site', 'sites')} ${verb} attention.`;
}

export function restSentence({ total, attention, inMaintenance, unknown }: Counted, unmeasured = ALL_MEASURED): string {
  // A site that was never checked has no measurement either, and is counted once.
  const silent = unknown === 0 ? unmeasured.count : 0;
  if (attention === 0 && silent >= total && total > 0 && !unmeasured.isPast)
    return total === 1 ? 'By its last checks the site is well.' : 'By their last checks all sites are well.';
  const parts = [
    attention > 0 && total > attention ? `${count(Math.max(0, total - attention - unknown - silent), 'is', 'are')} well` : '',
    inMaintenance > 0 ? `${count(inMaintenance, 'is', 'are')} in maintenance` : '',
    unknown > 0 && unknown < total ? `${count(unknown, 'has', 'have')} no check result yet` : '',
    silent > 0 ? `${count(silent, 'was', 'were')} not measured in the last 15 minutes` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${parts.join(', ')}.`;
}

/** The sentence in place of an empty list. */
export function noSiteSentence({ shown, tag }: SiteFilter): string {
  const which = tag === null ? 'No site' : `No site with the tag “${tag}”`;
  if (shown === 'attention') return `${which} needs attention.`;
  if (shown === 'unknown') return tag === null ? 'Every site has been checked.' : `Every site with the tag “${tag}” has been checked.`;
  return tag === null ? 'No site.' : `No site has the tag “${tag}”.`;
}

/** Problems of the kinds of watches, as a sentence about the project. */
export function problemSentence(
  kind: 'uptime' | 'check' | 'certificate' | 'redirect',
  severity: 'failing' | 'warning',
  sentence: string,
): string {
  const of = { uptime: 'is down', check: 'is failing', certificate: 'certificate', redirect: 'redirect to https' }[kind];
  const lead = kind === 'uptime' || kind === 'check' ? of : `${of} ${severity === 'failing' ? 'is failing' : 'needs attention'}`;
  return sentence === '' ? lead : `${lead}: ${sentence}`;
}

/** The overview is undefined until it was read. */
export function knownProblems(found: Schemas['Overview'] | undefined): KnownProblems {
  // The worst problem of a site comes first.
  const severities = new Map((found?.problems ?? []).toReversed().map(({ project, severity }) => [project.id, severity]));
  return { severities, areAll: found?.isComplete === true && severities.size === found.attention };
}
