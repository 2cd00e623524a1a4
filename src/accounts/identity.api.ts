import { confirmation } from './sign-in/authenticate.api.ts';
import { json, type Operations, why } from '../platform/http/description/operation.ts';
import { list, named, orNull, record, text, type ValueOf } from '../platform/http/description/schema.ts';
import { done, instant, objectIdSchema } from '../platform/http/description/vocabulary.ts';
import { shortList } from '../platform/http/lists/list.ts';

const identity = named(
  'Identity',
  record('A person of a sign-in provider', {
    id: objectIdSchema('The link'),
    issuer: text('The provider', { examples: ['https://login.example.com'] }),
    subject: orNull(text('What the provider calls the person', { examples: ['248289761001'] })),
    linked: instant('Time of the first sign-in'),
  }),
);
export type IdentityAnswer = ValueOf<typeof identity>;

export const identityOperations: Operations = {
  'GET /account/identities': {
    id: 'listIdentities',
    tag: 'Account',
    summary: 'List the persons of sign-in providers who sign in to your account',
    list: shortList(identity, { name: 'identities', key: 'id', sorts: ['linked', 'issuer'], search: ['issuer', 'subject'] }),
    answer: json(list(identity, 'In the order of linking')),
  },
  'DELETE /account/identities/:id': {
    id: 'unlinkIdentity',
    tag: 'Account',
    summary: 'Remove a link to a sign-in provider',
    description: 'Removes a system role that came with it. The next sign-in with the verified address of the account links again.',
    path: { id: objectIdSchema('The link') },
    body: confirmation,
    answer: done,
    refusals: { 404: why('The link does not exist') },
  },
};
