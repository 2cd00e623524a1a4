import type { Sealed } from '../kernel/event.ts';

/** Who may see a page: everyone, those who know its password, or members of a project that it shows. */
export const statusPageAccesses = ['public', 'password', 'members'] as const;
export type StatusPageAccess = (typeof statusPageAccesses)[number];

/** `statusPageAccesses` begins with the widest. */
export const isWider = (access: StatusPageAccess, before: StatusPageAccess): boolean =>
  statusPageAccesses.indexOf(access) < statusPageAccesses.indexOf(before);

export const statusPageLanguages = ['en', 'de', 'cs'] as const;
export type StatusPageLanguage = (typeof statusPageLanguages)[number];

export const statusItemKinds = ['project', 'group', 'check'] as const;
export type StatusItemKind = (typeof statusItemKinds)[number];

/** What is watched, under a name that outsiders understand. A page shows it once. */
export interface StatusItem {
  readonly name: string;
  readonly kind: StatusItemKind;
  /** The id of the project, group or check. */
  readonly id: string;
  readonly projectId: string;
}

export interface StatusGroup {
  readonly name: string;
  readonly items: readonly StatusItem[];
}

/** Texts of its own, as plain text. */
export interface StatusWords {
  readonly about: string;
  readonly footer: string;
}

/** The colour of links; null: that of the product. */
export interface StatusColors {
  readonly light: string | null;
  readonly dark: string | null;
}

/** What the service does by itself when an item fails. */
export interface AutomaticIncidents {
  readonly draft: boolean;
  /** Publishes the draft of a failure that has lasted this long; null: people publish. */
  readonly publishAfterMinutes: number | null;
  /** Resolves what it drafted when the item has recovered. */
  readonly resolve: boolean;
}

export interface StatusPageSettings {
  readonly slug: string;
  readonly title: string;
  readonly access: StatusPageAccess;
  /** The first one is shown where the reader asks for no other. */
  readonly languages: readonly StatusPageLanguage[];
  readonly groups: readonly StatusGroup[];
  readonly words: StatusWords;
  readonly colors: StatusColors;
  readonly automatic: AutomaticIncidents;
}

export const noWords: StatusWords = { about: '', footer: '' };
export const noColors: StatusColors = { light: null, dark: null };
export const draftsOnly: AutomaticIncidents = { draft: true, publishAfterMinutes: null, resolve: false };

/** The settings, the hash of the password, and the account that is responsible: a page shows what that account may edit. */
export interface StoredStatusPage extends StatusPageSettings {
  /** Null when it has none. */
  readonly password: Sealed | null;
  readonly by: number;
}

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A name with at least one dot, in lower case: an IDN as `xn--…`, and no address. */
export const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const MAX_HOSTS = 5;
export const MAX_ITEMS = 50;
export const MAX_GROUPS = 20;

export const itemsOf = ({ groups }: Pick<StatusPageSettings, 'groups'>): readonly StatusItem[] => groups.flatMap(({ items }) => items);

export const projectsOf = (page: Pick<StatusPageSettings, 'groups'>): readonly string[] => [
  ...new Set(itemsOf(page).map(({ projectId }) => projectId)),
];

export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type IncidentState = (typeof incidentStates)[number];

/** What an incident says at its beginning. */
export interface IncidentWords {
  readonly title: string;
  readonly text: string;
  readonly state: IncidentState;
  /** Ids of the items of the page that it is about. */
  readonly items: readonly string[];
}

/** The stream of the incidents of a page. */
export const incidentsStream = (pageId: string): string => `incidents-${pageId}`;

/** The background of a status page. */
export const PAPER = { light: '#fbfaf7', dark: '#141412' } as const;

/** The smallest contrast of text (WCAG 2.2, 1.4.3). */
export const SMALLEST_CONTRAST = 4.5;

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text);

/** Relative luminance by WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const share = parseInt(color.slice(place, place + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (lighter + 0.05) / (darker + 0.05);
}
