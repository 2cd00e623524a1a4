import { MAX_PASSWORD } from '../../accounts/sign-in/authenticate.api.ts';
import { filledText, password } from '../../platform/http/validation/fields.ts';
import { Input, Optional, Required } from '../../platform/http/validation/input.ts';
import { type RoleId, roles } from '../../accounts/rights/roles.ts';
import { asText, bare, json, type Operations, takes, why } from '../../platform/http/description/operation.ts';
import { integer, list, named, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, idPath, instant, objectIdSchema } from '../../platform/http/description/vocabulary.ts';
import { shortList } from '../../platform/http/lists/list.ts';

@Input('AcceptedLink', 'The link of an invitation, or of an offered transfer')
export class AcceptByLinkDto {
  @Required(filledText('Token of the link in the mail', 200, { writeOnly: true })) token!: string;
  @Optional(password('For an address without an account, or with one that is not confirmed: the password to sign in with', 8, MAX_PASSWORD))
  password?: string;
}

const roleIds = Object.values(roles).map(({ id }): RoleId => id);

const project = record('The project', {
  id: objectIdSchema('Id of the project'),
  title: text('Title', { examples: ['Shop'] }),
  url: text('URL of the monitored site', { examples: ['https://shop.example.com'] }),
});
const sender = (description: string) =>
  record(description, {
    name: orNull(text('Name; null once the account was erased', { examples: ['Ada'] })),
    email: orNull(text('E-mail address', { examples: ['ada@example.com'] })),
  });

const invitationSchema = named(
  'Invitation',
  record('A pending invitation to a project', {
    id: objectIdSchema('Id of the invitation'),
    project,
    role: record('Role in the project', {
      id: word(roleIds, 'Id of the role', { examples: ['6'] }),
      name: text('Name of the role', { examples: ['Project guest'] }),
    }),
    invitedBy: sender('The member who invited'),
    invited: instant('Time of the invitation'),
    expires: instant('Time until which it can be accepted', '2023-03-30T12:53:20+00:00'),
  }),
);
export type InvitationAnswer = ValueOf<typeof invitationSchema>;

const offeredTransferSchema = named(
  'OfferedTransfer',
  record('A project that its owner offers to transfer', {
    id: objectIdSchema('Id of the offer'),
    project,
    offeredBy: sender('The owner'),
    offered: instant('Time of the offer'),
    expires: instant('Time until which it can be accepted', '2023-03-30T12:53:20+00:00'),
  }),
);
export type OfferedTransferAnswer = ValueOf<typeof offeredTransferSchema>;

const pendingTransferSchema = named(
  'PendingTransfer',
  record('The pending offer of the project', {
    transfer: orNull(
      record('Null: none is pending', {
        userId: integer('The number that the owner named', { minimum: 1, examples: [8] }),
        offered: instant('Time of the offer'),
        expires: instant('Time until which it can be accepted', '2023-03-30T12:53:20+00:00'),
      }),
    ),
  }),
);
export type PendingTransferAnswer = ValueOf<typeof pendingTransferSchema>;

const ended = { 404: why('It was answered or withdrawn, or has expired') };
const invitationPath = { id: objectIdSchema('The invitation') };
const offerPath = { id: objectIdSchema('The offer') };

export const invitationOperations: Operations = {
  'GET /account/invitations': {
    id: 'listInvitations',
    tag: 'Account',
    summary: 'List the invitations to your address',
    list: shortList(invitationSchema, { name: 'invitations', key: 'id', sorts: ['expires', 'invited'] }),
    answer: json(list(invitationSchema, 'Pending ones, the first to expire first')),
  },
  'POST /account/invitations/:id/accept': {
    id: 'acceptInvitation',
    tag: 'Account',
    summary: 'Accept an invitation',
    path: invitationPath,
    answer: done,
    refusals: ended,
  },
  'POST /account/invitations/:id/decline': {
    id: 'declineInvitation',
    tag: 'Account',
    summary: 'Decline an invitation',
    description: 'The project learns that it was declined, and nothing about you.',
    path: invitationPath,
    answer: done,
    refusals: ended,
  },
  'GET /account/transfers': {
    id: 'listOfferedTransfers',
    tag: 'Account',
    summary: 'List the projects that are offered to you',
    list: shortList(offeredTransferSchema, { name: 'transfers', key: 'id', sorts: ['expires', 'offered'] }),
    answer: json(list(offeredTransferSchema, 'Pending ones, the first to expire first')),
  },
  'POST /account/transfers/:id/accept': {
    id: 'acceptTransfer',
    tag: 'Account',
    summary: 'Become the owner of an offered project',
    path: offerPath,
    answer: done,
    refusals: { ...ended, 402: bare('The project limit of your plan is reached') },
  },
  'POST /account/transfers/:id/decline': {
    id: 'declineTransfer',
    tag: 'Account',
    summary: 'Decline an offered project',
    path: offerPath,
    answer: done,
    refusals: ended,
  },
  'GET /account/invitation': {
    id: 'showInvitation',
    tag: 'Account',
    summary: 'Page of the link of an invitation or offer',
    answer: asText('text/html', 'Who invites to which project, and a button; opening the page accepts nothing'),
  },
  'POST /account/invitation': {
    id: 'acceptByLink',
    tag: 'Account',
    summary: 'Accept by the link of a mail',
    description:
      'The link proves whose the address is. Where it has no account, one is created with `password`; one that was never confirmed loses its former password, tokens and channels.',
    body: takes(AcceptByLinkDto, { token: 'from-the-mail', password: 'correct horse battery staple' }),
    answer: done,
    refusals: { ...ended, 402: bare('The project limit of your plan is reached') },
  },
  'GET /project/:id/transfer': {
    id: 'getPendingTransfer',
    tag: 'Members',
    summary: 'Read the pending offer of the project',
    path: idPath,
    answer: json(pendingTransferSchema),
  },
  'DELETE /project/:id/transfer': {
    id: 'withdrawTransfer',
    tag: 'Members',
    summary: 'Withdraw the pending offer of the project',
    path: idPath,
    answer: done,
  },
};
