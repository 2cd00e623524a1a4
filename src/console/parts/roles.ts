import type { Schemas } from '../../client.ts';

export type MemberRole = Schemas['ProjectUser']['role']['id'];

export const ROLES: Readonly<Record<MemberRole, string>> = { '4': 'admin', '5': 'developer', '6': 'guest' };

export const isRole = (value: unknown): value is MemberRole => typeof value === 'string' && value in ROLES;
