import type { Schemas } from '../../client.ts';
import type { Site } from './site-list.ts';
import type { KnownProblems, SiteFilter } from './shown-sites.ts';

/** What the first line of the overview says. */
export interface Counted {
  readonly total: number;
  readonly attention: number;
  readonly inMaintenance: number;
  readonly unknown: number;
  readonly isComplete: boolean;
}

/** The sites that are counted as well, but whose uptime is not being measured, as far as their figures were read. */
interface Unmeasured {
  /** Not in the last 15 minutes. */
  readonly silent: number;
  /** Never. */
  readonly never: number;
}

interface Measuring extends Unmeasured {
  readonly isPast: boolean;
}

/** How many of these sites are not being measured and have no problem, so that what is known of them says nothing of now; without those of which nothing is known. */
export const unmeasuredIn = (
  figures: ReadonlyMap<string, Pick<Schemas['ProjectFigures'], 'state' | 'measuredAt'>>,
  sites: readonly Pick<Site, 'id' | 'status'>[],
  problems: ReadonlyMap<string, unknown>,
): Unmeasured => {
  const unmeasured = sites.filter(({ id }) => figures.get(id)?.state === 'unknown' && !problems.has(id));
  const silent = unmeasured.filter(({ id }) => figures.get(id)?.measuredAt !== null).length;
  return { silent, never: unmeasured.filter(({ id, status }) => figures.get(id)?.measuredAt === null && status !== null).length };
};

const ALL_MEASURED: Measuring = { silent: 0, never: 0, isPast: false };

const count = (number: number, one: string, many: string): string => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

export function overviewSentence({ total, attention, inMaintenance, unknown, isComplete }: Counted, measuring = ALL_MEASURED): string {
  const { silent, never, isPast } = measuring;
  if (total === 0) return isPast ? 'Nothing was watched then.' : 'Nothing is watched yet.';
  if (attention === 0 && unknown === total) return 'Nothing has been checked yet.';
  if (attention === 0 && silent + never >= total && !isPast) return 'Measurements are still to come.';
  if (attention === 0 && inMaintenance + unknown + silent + never > 0) return 'No site needs attention.';
  if (attention === 0) return total === 1 ? 'The site is well.' : `All ${total.toLocaleString('en')} sites are well.`;
  const least = isComplete ? '' : 'At least ';
  const verb = attention === 1 ? 'needs' : 'need';
  return `${least}${attention.toLocaleString('en')} of ${count(total, 'site', 'sites')} ${verb} attention.`;
}

/** The sites beside those that need attention: the figures of both sentences add up to all. */
export function restSentence({ total, attention, inMaintenance, unknown, isComplete }: Counted, measuring = ALL_MEASURED): string {
  const { silent, never, isPast } = measuring;
  if (attention === 0 && silent + never >= total && total > 0 && !isPast)
    return total === 1 ? 'By its last checks the site is well.' : 'By their last checks all sites are well.';
  const well = Math.max(0, total - attention - inMaintenance - unknown - silent - never);
  const parts = [
    well > 0 && well < total ? `${isComplete ? '' : 'at most '}${count(well, 'is', 'are')} well` : '',
    inMaintenance > 0 ? `${count(inMaintenance, 'is', 'are')} in maintenance` : '',
    unknown > 0 && unknown < total ? `${count(unknown, 'has', 'have')} no result yet` : '',
    never > 0 ? `${count(never, 'has', 'have')} no measured uptime yet` : '',
    silent > 0 ? `${count(silent, 'was', 'were')} not measured in the last 15 minutes` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${capital(parts.join(', '))}.`;
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

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
