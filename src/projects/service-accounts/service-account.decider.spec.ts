import { describe, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import { changeSettings, remove } from '../project.decider.ts';
import { invite } from '../members/invitation.decider.ts';
import { changeRole, removeMembers } from '../members/member.decider.ts';
import { type Project, project, type ProjectEvent } from '../project.state.ts';
import { type RoleId, serviceNumber } from '../../accounts/rights/roles.ts';
import { serviceAccountsOfInstallation, serviceAccountsOfProject, serviceAccountsTarget } from './service-account-owners.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  deleteServiceAccount,
  issueServiceToken,
  MAX_SERVICE_ACCOUNTS,
  MAX_SERVICE_TOKENS,
  revokeServiceToken,
} from './service-account.decider.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { offerTransfer } from '../transfer.decider.ts';

const [owner, developer] = [1, 2] as const;
const serviceAccountId = 'abcdef0123456789abcdef01';
const service = serviceNumber(serviceAccountId);
const tokenId = 'abcdef0123456789abcdef02';
const [END, AFTER] = ['1970-01-01T00:00:10.000Z', 10_000] as const;

const created = (role: RoleId, id = serviceAccountId): ProjectEvent => ({
  type: 'ServiceAccountCreated',
  data: { serviceAccountId: id, name: 'deployments', role },
});
const token = (id = tokenId) => ({ serviceAccountId, tokenId: id, name: 'build server', expiresAt: END });
const issued = (id = tokenId): ProjectEvent => ({ type: 'ServiceTokenIssued', data: token(id) });
const revoked = (id = tokenId): ProjectEvent => ({ type: 'ServiceTokenRevoked', data: { serviceAccountId, tokenId: id } });
const deleted: ProjectEvent = { type: 'ServiceAccountDeleted', data: { serviceAccountId, name: 'deployments' } };
const beginning: readonly ProjectEvent[] = [
  {
    type: 'ProjectCreated',
    data: {
      projectId: 'a'.repeat(24),
      payerId: owner,
      settings: { ...projectSettings, title: '' },
      apiKey: { subject: 'project-a', sealed: '' },
      preset: false,
    },
  },
  { type: 'MemberAdded', data: { userId: developer, role: '5' } },
];
const { given } = decide(project);
const create = (role: RoleId, by: number) => (state: Project) =>
  createServiceAccount(serviceAccountsOfProject(state, by), { serviceAccountId, name: 'deployments', role });

describe('a service account', () => {
  it('is created, changed and deleted by members who manage users', () => {
    given(...beginning)
      .when(create('5', owner))
      .then(created('5'));
    const known = given(...beginning, created('5'), issued());
    known
      .when((state) => changeServiceAccount(serviceAccountsOfProject(state, owner), serviceAccountId, { name: 'releases', role: '6' }))
      .then(
        { type: 'ServiceAccountRenamed', data: { serviceAccountId, from: 'deployments', to: 'releases' } },
        { type: 'ServiceAccountRoleChanged', data: { serviceAccountId, from: '5', to: '6' } },
      );
    known
      .when((state) => changeServiceAccount(serviceAccountsOfProject(state, owner), serviceAccountId, { name: 'deployments', role: '5' }))
      .then();
    known.when((state) => deleteServiceAccount(serviceAccountsOfProject(state, owner), serviceAccountId)).then(deleted);
    for (const by of [developer, 9, service]) {
      given(...beginning, created('4'))
        .when(create('6', by))
        .thenRefused('MEMBERSHIP_REFUSED');
      known
        .when((state) => changeServiceAccount(serviceAccountsOfProject(state, by), serviceAccountId, { name: 'x' }))
        .thenRefused('MEMBERSHIP_REFUSED');
      known.when((state) => deleteServiceAccount(serviceAccountsOfProject(state, by), serviceAccountId)).thenRefused('MEMBERSHIP_REFUSED');
    }
  });

  it('changes settings as its role allows, and is neither owner nor member nor manager of users', () => {
    const admin = given(...beginning, created('4'));
    admin.when((state) => changeSettings(state, { title: 'New' }, service)).then({ type: 'ProjectRenamed', data: { from: '', to: 'New' } });
    given(...beginning, created('5'))
      .when((state) => changeSettings(state, { title: 'New' }, service))
      .thenRefused('MEMBERSHIP_REFUSED');
    given(...beginning, created('4'), deleted)
      .when((state) => changeSettings(state, { title: 'New' }, service))
      .thenRefused('MEMBERSHIP_REFUSED');
    admin.when((state) => remove(state, service)).thenRefused('MEMBERSHIP_REFUSED');
    admin.when((state) => changeRole(state, { userId: developer, role: '4' }, service)).thenRefused('MEMBERSHIP_REFUSED');
    admin.when((state) => changeRole(state, { userId: service, role: '5' }, owner)).thenRefused('MEMBER_NOT_FOUND');
    admin.when((state) => removeMembers(state, [service], service)).thenRefused('MEMBERSHIP_REFUSED');
    const invitation = { invitationId: tokenId, role: '4', by: service, expiresAt: END } as const;
    admin.when((state) => invite(state, invitation, 100)).thenRefused('MEMBERSHIP_REFUSED');
    admin
      .when((state) => offerTransfer(state, { transferId: tokenId, to: developer, expiresAt: END }, service, 0))
      .thenRefused('MEMBERSHIP_REFUSED');
  });

  it('has tokens that end with it', () => {
    const known = given(...beginning, created('5'));
    known.when((state) => issueServiceToken(serviceAccountsOfProject(state, owner), token(), 0)).then(issued());
    for (const by of [developer, service])
      known.when((state) => issueServiceToken(serviceAccountsOfProject(state, by), token(), 0)).thenRefused('MEMBERSHIP_REFUSED');
    const one = given(...beginning, created('5'), issued());
    one.when((state) => revokeServiceToken(serviceAccountsOfProject(state, owner), { serviceAccountId, tokenId })).then(revoked());
    one.when((state) => revokeServiceToken(serviceAccountsOfProject(state, null), { serviceAccountId, tokenId })).then(revoked());
    const none = given(...beginning, created('5'), issued(), deleted);
    none
      .when((state) => revokeServiceToken(serviceAccountsOfProject(state, null), { serviceAccountId, tokenId }))
      .thenRefused('SERVICE_ACCOUNT_NOT_FOUND');
    none.when((state) => issueServiceToken(serviceAccountsOfProject(state, owner), token(), 0)).thenRefused('SERVICE_ACCOUNT_NOT_FOUND');
    const twice = given(...beginning, created('5'), issued(), revoked());
    twice
      .when((state) => revokeServiceToken(serviceAccountsOfProject(state, owner), { serviceAccountId, tokenId }))
      .thenRefused('TOKEN_NOT_FOUND');
  });

  it('is one of a bounded number, with a bounded number of tokens of which expired ones make room', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => index.toString(16).padStart(24, '0'));
    given(...beginning, ...ids(MAX_SERVICE_ACCOUNTS).map((id) => created('6', id)))
      .when(create('6', owner))
      .thenRefused('TOO_MANY_SERVICE_ACCOUNTS');
    const tokens = ids(MAX_SERVICE_TOKENS);
    const full = given(...beginning, created('6'), ...tokens.map(issued));
    full.when((state) => issueServiceToken(serviceAccountsOfProject(state, owner), token(), 0)).thenRefused('TOO_MANY_TOKENS');
    full.when((state) => issueServiceToken(serviceAccountsOfProject(state, owner), token(), AFTER)).then(...tokens.map(revoked), issued());
  });
});

describe('a service account of the installation', () => {
  const { given: givenAccounts } = decide(serviceAccountsTarget.decider);
  const admin = { type: 'ServiceAccountCreated', data: { serviceAccountId, name: 'warehouse', role: 'admin' } } as const;
  const tokenIssued = { type: 'ServiceTokenIssued', data: token() } as const;

  it('has a system role, tokens, and an end', () => {
    givenAccounts()
      .when((known) => createServiceAccount(serviceAccountsOfInstallation(known), admin.data))
      .then(admin);
    const one = givenAccounts(admin, tokenIssued);
    one
      .when((known) => changeServiceAccount(serviceAccountsOfInstallation(known), serviceAccountId, { role: 'auditor' }))
      .then({ type: 'ServiceAccountRoleChanged', data: { serviceAccountId, from: 'admin', to: 'auditor' } });
    one
      .when((known) => revokeServiceToken(serviceAccountsOfInstallation(known), { serviceAccountId, tokenId }))
      .then({ type: 'ServiceTokenRevoked', data: { serviceAccountId, tokenId } });
    one
      .when((known) => deleteServiceAccount(serviceAccountsOfInstallation(known), serviceAccountId))
      .then({ type: 'ServiceAccountDeleted', data: { serviceAccountId, name: 'warehouse' } });
  });

  it('has no role of a project, nor one of a project a system role', () => {
    given(...beginning)
      .when((state) => createServiceAccount(serviceAccountsOfProject(state, owner), admin.data))
      .thenRefused('MEMBERSHIP_REFUSED');
    given(...beginning, admin)
      .when((state) => changeSettings(state, { title: 'New' }, service))
      .thenRefused('MEMBERSHIP_REFUSED');
  });
});
