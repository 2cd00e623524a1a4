import { type RoleId } from '../../accounts/rights/roles.ts';
import { ownCode, ownPassword } from '../../accounts/sign-in/authenticate.api.ts';
import { emailAddress, oneOfWords, trimmed, whole, wholes } from '../../platform/http/validation/fields.ts';
import { Input, OptionalOrNull, Required } from '../../platform/http/validation/input.ts';
import { personFields } from '../../accounts/person.api.ts';
import { json, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { always, flag, list, named, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, idPath, instant, objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

const roleIds: readonly RoleId[] = ['4', '5', '6'];
export const role = oneOfWords('4: admin, 5: developer, 6: guest', roleIds, { type: 'integer', enum: roleIds.map(Number) });
const MAX_USER_ID = 2_147_483_647;

@Input('NewMember', 'A user and the role in the project')
export class AddMemberDto {
  @Required(trimmed(emailAddress('An address; without an account it is invited', { format: 'email', examples: ['bob@example.com'] })))
  email!: string;
  @Required(role) role!: RoleId;
}

@Input('RoleChange', 'The new role')
export class ChangeRoleDto {
  @Required(role) role!: RoleId;
}

@Input('MemberRemoval', 'The users to remove')
export class RemoveMembersDto {
  @Required(wholes('All of them are removed, or none', { item: 'A user id', minimum: 1, maximum: MAX_USER_ID, maxItems: 1000 }))
  users!: number[];
}

@Input('Transfer', 'The new owner')
export class TransferDto {
  @Required(whole('User id of the new owner', 1, MAX_USER_ID)) userId!: number;
  @OptionalOrNull(ownPassword) password?: string | null;
  @OptionalOrNull(ownCode) code?: string | null;
}

/** docs/spec/interface.md#permissions-current-user-on-a-project, #role and #project-user. */
export const permissionsSchema = named(
  'Permissions',
  record('Permissions of the caller in the project', {
    read: flag('View results'),
    run: flag('Run checks'),
    editTest: flag('Edit tests'),
    editTests: flag('The same as `editTest`'),
    edit: flag('Edit the settings of the project'),
    manageUsers: flag('Manage other users'),
    apiKey: flag('View the API key'),
    leave: flag('Leave the project', { examples: [false] }),
  }),
);
export type PermissionsAnswer = ValueOf<typeof permissionsSchema>;

const roleSchema = named(
  'Role',
  record('Role of a user in a project', {
    id: word(roleIds, 'Id of the role'),
    users_id: orNull(text('Always null: a role belongs to no user')),
    name: text('Name of the role', { examples: ['Project admin'] }),
    permissions: list(word(['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey'], 'A permission'), 'Granted permissions', {
      examples: [['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey']],
    }),
    systemRole: flag('Whether the role is defined by the service'),
    permissionsSwitches: permissionsSchema,
  }),
);
export type RoleAnswer = ValueOf<typeof roleSchema>;

const projectUser = named(
  'ProjectUser',
  record('A user with access to a project', {
    ...personFields,
    role: roleSchema,
    isPayer: flag('Whether the user owns the project'),
    canBeRemoved: flag('Whether the user can be removed', { examples: [false] }),
    pending: flag(
      'Whether the user is invited and has not accepted yet; `id` is then the number of the invitation, shown to those who manage users',
      { examples: [false] },
    ),
  }),
);
export type ProjectUserAnswer = ValueOf<typeof projectUser>;

const members = shortList(projectUser, {
  name: 'users',
  key: 'id',
  sorts: ['id', 'name', 'email'],
  search: ['name', 'email'],
  status: { words: ['member', 'pending'], of: ({ pending }) => (pending ? 'pending' : 'member') },
});

const removal = named(
  'MemberRemoved',
  record(
    'The users are removed',
    {
      code: always(200, 'Always 200'),
      ok: always(true, 'Always true'),
      error: always(false, 'Always false'),
    },
    {
      serviceAccounts: list(
        record('What goes on without them', {
          id: objectIdSchema('The service account'),
          name: text('Its name', { examples: ['deployments'] }),
          role: word(roleIds, 'Its role in the project', { examples: ['4'] }),
          tokens: list(
            record('A valid token that one of them created', {
              tid: objectIdSchema('The token'),
              name: text('Its purpose', { examples: ['build server'] }),
              expiresAt: instant('Expiry', '2024-03-23T12:53:20+00:00'),
            }),
            'The tokens that the removed users know',
          ),
        }),
        'The service accounts that they created, or have a token of; missing where there is none',
      ),
    },
  ),
);
export type RemovalAnswer = ValueOf<typeof removal>;

export const memberOperations: Operations = {
  'GET /project/:id/users': {
    id: 'listUsers',
    tag: 'Members',
    summary: 'List the users of a project',
    path: idPath,
    list: members,
    answer: json(list(projectUser, 'In the order in which they joined')),
  },
  'POST /project/:id/users': {
    id: 'addUser',
    tag: 'Members',
    summary: 'Invite a user, or change a role',
    description:
      'A caller cannot grant more permissions than it holds. The address is invited by mail and becomes a user when its owner accepts; a user of the project gets the role at once.',
    path: idPath,
    body: takes(AddMemberDto, { email: 'bob@example.com', role: '5' }),
    answer: json(projectUser),
    refusals: { 404: why('The project no longer exists') },
  },
  'PUT /project/:id/users/:userId': {
    id: 'changeRole',
    tag: 'Members',
    summary: 'Change a role',
    path: { ...idPath, userId: text('The user', { pattern: '^[1-9]\\d{0,9}$', examples: ['7'] }) },
    body: takes(ChangeRoleDto, { role: '6' }),
    answer: json(projectUser),
    refusals: { 404: why('The project has no such user') },
  },
  'DELETE /project/:id/users': {
    id: 'removeUsers',
    tag: 'Members',
    summary: 'Remove users, or withdraw invitations',
    description:
      'The owner cannot be removed: a request that names the owner removes no user. Service accounts belong to the project and go on; the answer names those that the removed users can still use.',
    path: idPath,
    body: takes(RemoveMembersDto, { users: [8, 9] }),
    answer: json(removal),
  },
  'GET /project/:id/roles': {
    id: 'listRoles',
    tag: 'Members',
    summary: 'List the roles',
    path: idPath,
    list: shortList(roleSchema, { name: 'roles', key: 'id', sorts: ['id', 'name'], search: ['name'] }),
    answer: json(list(roleSchema, 'All roles')),
  },
  'GET /project/:id/permissions': {
    id: 'getPermissions',
    tag: 'Members',
    summary: 'Read the permissions of the caller',
    path: idPath,
    answer: json(permissionsSchema),
  },
  'POST /project/:id/transfer': {
    id: 'transferProject',
    tag: 'Members',
    summary: 'Offer the project to another owner',
    description: 'The project changes hands when the other user accepts. The answer does not tell whether the user exists.',
    path: idPath,
    body: takes(TransferDto, { userId: 8 }),
    answer: done,
  },
};
