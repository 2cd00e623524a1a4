const MOST = 2 ** 31 - 1;

/** Stands for a service account where a command or a token names who acts: below every user id, which are positive. */
export const serviceNumber = (serviceAccountId: string): number => -1 - (Number.parseInt(serviceAccountId.slice(-8), 16) % MOST);

export type Permission = 'read' | 'run' | 'editTests' | 'edit' | 'manageUsers' | 'apiKey';
export type RoleId = '4' | '5' | '6';
/** The role of a service account: a role of its project, or a system role when it belongs to the installation. */
export type ServiceRole = RoleId | 'admin' | 'auditor';

export const isSystemRole = (role: ServiceRole): role is 'admin' | 'auditor' => role === 'admin' || role === 'auditor';

export interface Role {
  readonly id: RoleId;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

export const roles: Readonly<Record<RoleId, Role>> = {
  '4': { id: '4', name: 'Project admin', permissions: ['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey'] },
  '5': { id: '5', name: 'Project developer', permissions: ['read', 'run', 'editTests', 'apiKey'] },
  '6': { id: '6', name: 'Project guest', permissions: ['read'] },
};

/** A member cannot grant permissions that they do not have. */
export const mayGrant = (granter: RoleId, role: RoleId): boolean =>
  roles[role].permissions.every((permission) => roles[granter].permissions.includes(permission));

/** The Permissions object of the interface, which spells `editTest`; `editTests` carries the same. */
export type PermissionSwitches = Readonly<Record<Permission | 'editTest' | 'leave', boolean>>;

/** `null`: a reader who is not a member. */
export function switchesOf(role: RoleId | null, owner: boolean): PermissionSwitches {
  const has = (permission: Permission): boolean => (role === null ? permission === 'read' : roles[role].permissions.includes(permission));
  return {
    read: has('read'),
    run: has('run'),
    editTest: has('editTests'),
    editTests: has('editTests'),
    edit: has('edit'),
    manageUsers: has('manageUsers'),
    apiKey: has('apiKey'),
    leave: role !== null && !owner,
  };
}
