import { roles } from '../../domain/project/roles.ts';
import { personFields, person } from '../account/person.description.ts';
import { bare, json, type Operations, why } from '../description/operation.ts';
import { eitherOf, flag, integer, list, orNull, record, ref, type Schema, text, word } from '../description/schema.ts';
import { idPath, success } from '../description/vocabulary.ts';

const roleIds = Object.keys(roles);
const role: Schema = eitherOf('4: admin, 5: developer, 6: guest', word(roleIds, 'As a string'), {
  type: 'integer',
  enum: roleIds.map(Number),
});
const userId = (description: string): Schema => integer(description, { minimum: 1, maximum: 2_147_483_647 });

/** docs/spec/interface.md#permissions-current-user-on-a-project, #role and #project-user. */
export const memberSchemas = {
  Permissions: record('What the caller may do in the project', {
    read: flag('View results'),
    run: flag('Run checks'),
    editTest: flag('Edit tests'),
    editTests: flag('The same as `editTest`'),
    edit: flag('Edit the settings of the project'),
    manageUsers: flag('Manage other users'),
    apiKey: flag('View the API key'),
    leave: flag('Leave the project'),
  }),
  Role: record('What somebody is in a project', {
    id: word(roleIds, 'The role'),
    users_id: orNull(text('Null: the roles belong to no user')),
    name: text('Name of the role'),
    permissions: list(word(['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey'], 'A permission'), 'What it allows'),
    systemRole: flag('Whether the role is one of the service'),
    permissionsSwitches: ref('Permissions'),
  }),
  ProjectUser: record('Somebody with access to a project', {
    ...personFields,
    role: ref('Role'),
    isPayer: flag('Whether the user owns the project'),
    canBeRemoved: flag('Whether the user can be removed'),
  }),
  NewMember: record('Who is added, and as what', {
    email: text('An address; without an account it is invited', { format: 'email', maxLength: 254, examples: ['bob@example.com'] }),
    role,
  }),
  RoleChange: record('The new role', { role }),
  MemberRemoval: record('Who is removed', { users: list(userId('A user id'), 'All of them or none', { minItems: 1, maxItems: 1000 }) }),
  Transfer: record('To whom', { userId: userId('The new owner') }),
} satisfies Readonly<Record<string, Schema>>;

export const permissions = {
  ...{ read: true, run: true, editTest: true, editTests: true },
  ...{ edit: true, manageUsers: true, apiKey: true, leave: false },
};
const admin = {
  ...{ id: '4', users_id: null, name: 'Project admin', permissions: ['read', 'run', 'editTests', 'edit', 'manageUsers', 'apiKey'] },
  ...{ systemRole: true, permissionsSwitches: permissions },
};
const member = { ...person, role: admin, isPayer: true, canBeRemoved: false };
const done = json(ref('Success'), success);

export const memberOperations: Operations = {
  'GET /project/:id/users': {
    id: 'listUsers',
    tag: 'Members',
    summary: 'Users of a project',
    path: idPath,
    answer: json(list(ref('ProjectUser'), 'In the order in which they came'), [member]),
  },
  'POST /project/:id/users': {
    id: 'addUser',
    tag: 'Members',
    summary: 'Add a user, or change a role',
    description: 'Nobody grants more than they hold. An address without an account is invited by mail.',
    path: idPath,
    body: { schema: ref('NewMember'), example: { email: 'bob@example.com', role: '5' } },
    answer: json(ref('ProjectUser'), member),
    refusals: { 404: why('The user or the project is gone') },
  },
  'PUT /project/:id/users/:userId': {
    id: 'changeRole',
    tag: 'Members',
    summary: 'Change a role',
    path: { ...idPath, userId: text('The user', { pattern: '^[1-9]\\d{0,9}$', examples: ['7'] }) },
    body: { schema: ref('RoleChange'), example: { role: '6' } },
    answer: json(ref('ProjectUser'), member),
    refusals: { 404: why('There is no such user in the project') },
  },
  'DELETE /project/:id/users': {
    id: 'removeUsers',
    tag: 'Members',
    summary: 'Remove users',
    description: 'The owner cannot be removed: then nobody is.',
    path: idPath,
    body: { schema: ref('MemberRemoval'), example: { users: [8, 9] } },
    answer: done,
  },
  'GET /project/:id/roles': {
    id: 'listRoles',
    tag: 'Members',
    summary: 'Roles that there are',
    path: idPath,
    answer: json(list(ref('Role'), 'All of them'), [admin]),
  },
  'GET /project/:id/permissions': {
    id: 'getPermissions',
    tag: 'Members',
    summary: 'What the caller may do',
    path: idPath,
    answer: json(ref('Permissions'), permissions),
  },
  'POST /project/:id/transfer': {
    id: 'transferProject',
    tag: 'Members',
    summary: 'Give the project to another owner',
    path: idPath,
    body: { schema: ref('Transfer'), example: { userId: 8 } },
    answer: done,
    refusals: { 402: bare('The project limit of the receiver is reached'), 404: why('There is no such user') },
  },
};
