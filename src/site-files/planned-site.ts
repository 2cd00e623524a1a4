import { createHmac } from 'node:crypto';
import type { SiteState } from './site.ts';
import type { Prune, SiteDecision } from './site.decider.ts';
import type { WantedSite } from './wanted-site.ts';
import type { Permission } from '../accounts/rights/roles.ts';
import type { ProjectAccess } from '../projects/request-project.ts';
import type { SiteChange } from './site-changes.ts';
import type { SiteFile } from './site-file.dto.ts';

/** The plan of one project: how it differs from its file, and the decision that makes it as the file. */
export interface PlannedSite {
  readonly file: string;
  readonly site: SiteFile;
  readonly projectId: string;
  /** Null when it does not exist yet. */
  readonly access: ProjectAccess | null;
  /** The revision of the project's stream; null when there is none. */
  readonly revision: number | null;
  readonly before: SiteState;
  readonly decision: SiteDecision;
  /** Members included. */
  readonly changes: readonly SiteChange[];
  readonly members: readonly SiteChange[];
  /** Its secrets sealed, if the project exists. */
  readonly wanted: WantedSite;
  readonly prune: Prune;
  /** Names what the plan changes, and from what: the same as long as neither the file nor the project changes. */
  readonly token: string;
}

/** What the append of a plan changes. */
export interface PlannedAppend {
  readonly projectId: string;
  readonly changes: readonly SiteChange[];
  readonly unlisted: readonly string[];
}

/** Keyed, because it is made of secrets, too. */
export const keyedHash = (secret: Uint8Array, of: unknown): string =>
  createHmac('sha256', secret).update(JSON.stringify(of)).digest('base64url');

export const appendToken = (secret: Uint8Array, { projectId, changes, unlisted }: PlannedAppend): string =>
  keyedHash(secret, [projectId, changes, [...unlisted].sort()]).slice(0, 32);

/** The token of the append, and one for each change of a member: they follow the append one by one, and an interrupted apply has some of them left. */
export const planToken = (secret: Uint8Array, append: PlannedAppend, members: readonly SiteChange[]): string =>
  [appendToken(secret, append), ...members.map((member) => keyedHash(secret, [append.projectId, member]).slice(0, 12))].join('.');

/** That of the append, of the token of a plan. */
export const appendPartOf = (token: string): string => token.split('.', 1)[0] ?? '';

/** Whether a plan changes what another one planned and has not done yet. */
export function isRestOf(planned: string, left: string, isAppended: boolean): boolean {
  const [, ...members] = planned.split('.');
  const [, ...membersLeft] = left.split('.');
  return (isAppended || appendPartOf(planned) === appendPartOf(left)) && membersLeft.every((member) => members.includes(member));
}

/** The permissions that the events of a decision take, as the routes of single changes state them. */
export function permissionsToApply({
  events,
}: Pick<SiteDecision, 'events'>): readonly (Extract<Permission, 'edit' | 'editTests'> | 'member')[] {
  const needed = events.map(({ type }) => {
    if (/^(Area|Check)/.test(type)) return 'editTests';
    return type.startsWith('Notification') ? 'member' : 'edit';
  });
  return [...new Set(needed)];
}
