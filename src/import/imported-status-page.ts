import { MAX_GROUPS, MAX_ITEMS } from '../status-pages/status-page.settings.ts';
import { StatusPageDocument } from '../site-files/status-page-file.dto.ts';
import { readInput } from '../platform/http/validation/input.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { shortened } from '../kernel/text.ts';
import type { ImportFindings } from './findings.ts';
import { importKey } from './import-key.ts';
import type { ImportedSite } from './imported-site.ts';

/** A status page of a source, whose items are its monitors and groups of them. */
export interface SourceStatusPage {
  readonly slug: string;
  readonly title: string;
  readonly about: string;
  readonly footer: string;
  /** For those who sign in. */
  readonly isForMembers: boolean;
  readonly groups: readonly { readonly name: string; readonly items: readonly SourceItem[] }[];
}

interface SourceItem {
  readonly kind: 'monitor' | 'group';
  /** The id as in `Monitor`, or for a group as in `Monitor.group`. */
  readonly id: string;
  readonly name: string;
}

interface ImportedItem {
  readonly name: string;
  readonly project: string;
  readonly group?: string;
  readonly check?: string;
}

/** A document of a site file. */
export interface ImportedStatusPage {
  readonly statusPage: {
    readonly slug: string;
    readonly title: string;
    readonly access?: 'members';
    readonly words?: { readonly about?: string; readonly footer?: string };
    readonly groups: readonly { readonly name?: string; readonly items: readonly ImportedItem[] }[];
  };
}

const [LONGEST_NAME, LONGEST_WORDS] = [100, 1_000];

/** The pages with what was imported of their items; the others are named. */
export function statusPagesOf(
  pages: readonly SourceStatusPage[],
  sites: readonly ImportedSite[],
  kind: string,
  findings: ImportFindings,
): readonly ImportedStatusPage[] {
  const places = new Places(sites, kind);
  return pages.flatMap((page): readonly ImportedStatusPage[] => {
    const label = labelOfPage(page);
    const groups = groupsOf(page, places, findings);
    if (groups.length === 0) {
      findings.leaveOut(label, 'it has no item that is a check here');
      return [];
    }
    const { slug, title, about, footer, isForMembers } = page;
    const words = {
      ...(about !== '' && { about: shortened(about, LONGEST_WORDS) }),
      ...(footer !== '' && { footer: shortened(footer, LONGEST_WORDS) }),
    };
    const made: ImportedStatusPage = {
      statusPage: {
        slug,
        title: shortened(title || slug, LONGEST_NAME),
        ...(isForMembers && { access: 'members' }),
        ...(Object.keys(words).length > 0 && { words }),
        groups,
      },
    };
    try {
      readInput(StatusPageDocument, made);
      return [made];
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      findings.leaveOut(label, error.problems[0]?.message ?? error.message);
      return [];
    }
  });
}

export const labelOfPage = ({ title, slug }: Pick<SourceStatusPage, 'title' | 'slug'>): string => `status page ${title || slug}`;

type ImportedPageGroups = ImportedStatusPage['statusPage']['groups'];

function groupsOf(page: SourceStatusPage, places: Places, findings: ImportFindings): ImportedPageGroups {
  const shown = new Set<string>();
  const groups = page.groups.flatMap(({ name, items }): ImportedPageGroups => {
    const made = items.flatMap((item): readonly ImportedItem[] => {
      const place = places.find(item);
      const refused =
        typeof place === 'string'
          ? place
          : shown.has(JSON.stringify(place))
            ? 'a page shows it once'
            : shown.size >= MAX_ITEMS
              ? `a page has at most ${String(MAX_ITEMS)} items`
              : null;
      if (typeof place === 'string' || refused !== null) {
        findings.miss(`${labelOfPage(page)} / ${item.name}`, refused ?? '');
        return [];
      }
      shown.add(JSON.stringify(place));
      return [{ name: shortened(item.name, LONGEST_NAME), ...place }];
    });
    return made.length === 0 ? [] : [{ ...(name !== '' && { name: shortened(name, LONGEST_NAME) }), items: made }];
  });
  for (const { name } of groups.slice(MAX_GROUPS))
    findings.miss(labelOfPage(page), `group ${name ?? ''}: a page has at most ${String(MAX_GROUPS)}`);
  return groups.slice(0, MAX_GROUPS);
}

type Place = Omit<ImportedItem, 'name'>;

/** The checks and groups that monitors and groups of a source became, by the keys that they got. */
class Places {
  private readonly checks = new Map<string, Place>();
  private readonly groups: { readonly key: string; readonly place: Place }[] = [];

  constructor(
    sites: readonly ImportedSite[],
    private readonly kind: string,
  ) {
    for (const { key: project, groups } of sites)
      for (const { key, checks } of groups) {
        this.groups.push({ key, place: { project, group: key } });
        for (const check of checks) this.checks.set(check.key, { project, check: check.key });
      }
  }

  /** Or why it is not shown. */
  find({ kind, id }: SourceItem): Place | string {
    const key = importKey(this.kind, id);
    if (kind === 'monitor') return this.checks.get(key) ?? 'it is not imported';
    // One with a sign-in or a schedule of its own has more behind its key.
    const [first, second] = this.groups.filter((group) => group.key === key || group.key.startsWith(`${key}-`));
    if (first === undefined) return 'it is not imported';
    return second === undefined ? first.place : 'its checks are in several groups here; show these';
  }
}
