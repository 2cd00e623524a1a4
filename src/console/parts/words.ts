import type { Schemas } from '../../client.ts';

/** What the service says in the middle of a sentence, where it begins one. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export type MemberRole = Schemas['ProjectUser']['role']['id'];

export const ROLES: Readonly<Record<MemberRole, string>> = { '4': 'admin', '5': 'developer', '6': 'guest' };

export const isRole = (value: unknown): value is MemberRole => typeof value === 'string' && value in ROLES;
