import type { Schemas } from '../../client.ts';

export type Scope = NonNullable<Schemas['NewToken']['scopes']>[number];

/** What a scope lets a program do, as a person reads it (docs/accounts.md). */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'read sites',
  run: 'run checks',
  editTests: 'change checks and groups',
  edit: 'change settings and maintenance',
  manageUsers: 'invite people and change roles',
  member: 'choose your own alerts',
  owner: 'delete sites and offer them to others',
  evidence: 'read kept pages and try rules',
  export: 'export histories',
  feed: 'follow the log',
  create: 'add sites',
  account: 'change the account',
  systemRead: 'read the state of the installation',
  systemAdmin: 'administer the installation',
};

const known: ReadonlyMap<string, string> = new Map(Object.entries(SCOPE_WORDS));

/** Scopes for a sentence, after *may* or *to*. A scope that only a later version of the service knows is named by its id. */
export const scopesText = (scopes: readonly string[]): string => scopes.map((scope) => known.get(scope) ?? scope).join(', ');
