import { randomBytes } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { sweepClaims } from '../../platform/postgres/claims.ts';
import { EMAIL_CLAIM, EmailDirectory } from '../../accounts/email-directory.ts';
import { AccountErasure, Departures } from '../../accounts/erasure/account-erasure.ts';
import { PasswordChanges } from '../../accounts/passwords/password-changes.ts';
import { Passwords } from '../../accounts/passwords/passwords.ts';
import { ErasureNotice } from '../../alerts/notices/erasure-notice.ts';
import { Erasures } from '../../platform/security/erasures.ts';
import { PostgresInvitations } from '../../accounts/tokens/postgres-invitations.ts';
import { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { OpenAccount } from '../../accounts/account.commands.ts';
import { InviteMember } from '../../projects/members/invitation.commands.ts';
import { SignInAccount } from '../../accounts/sessions/session.commands.ts';
import { SessionStore } from '../../accounts/tokens/session-store.ts';
import { TokenStore } from '../../accounts/tokens/token-store.ts';
import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { loadConfig } from '../../platform/config/config.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { create } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { UnfinishedAccountWork } from './unfinished-account-work.ts';
import { ensureFirstAccount } from '../../app/first-account.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import { openParts, type Parts } from '../../app/parts.ts';
import { openResources } from '../../app/resources.ts';
import { Lifecycle } from '../../kernel/lifecycle.ts';
import { longRunningParts } from '../../app/long-running-parts.ts';
import { accountStream } from '../../kernel/stream-names.ts';

const env = { MASTER_KEY: randomBytes(32).toString('hex'), ADMIN_EMAIL: 'first@example.test', LOG_LEVEL: 'silent', ROLES: 'projector' };
let database: TestDatabase;
let parts: Parts;
let lifecycle: Lifecycle;
let unfinished: UnfinishedAccountWork;
const config = () => loadConfig({ ...env, DATABASE_URL: database.url }, '/');
beforeAll(async () => {
  database = await createTestDatabase();
  parts = await openParts(config(), await openResources(config(), database.url, pino({ level: 'silent' })));
  lifecycle = new Lifecycle().add(...longRunningParts(config(), parts));
  await lifecycle.start();
  unfinished = parts.get(UnfinishedAccountWork);
});
afterAll(async () => {
  await lifecycle.close();
  await parts.close();
  await database.drop();
});

const context = (): CommandContext => systemContext({ kind: 'cli', id: 'test' }, Date.now());
const wanted = (email: string) =>
  ({ email, name: 'x', password: null, plan: 'basic', systemRole: null, confirmed: true, by: 'administrator' }) as const;
const stateOf = async (userId: number): Promise<string> => (await parts.runner.read(accountTarget(userId))).kind;

async function lastOf(stream: string): Promise<StreamEvent | undefined> {
  const found: StreamEvent[] = [];
  for await (const event of parts.store.readStream(stream, { direction: 'backward', limit: 1 })) found.push(event);
  return found[0];
}

describe('the first account', () => {
  it('is created once by instances that start together, and one of them shows its password', async () => {
    const made = await Promise.all([1, 2, 3].map(() => ensureFirstAccount(config(), parts)));
    expect(made.map((first) => first.made).sort()).toEqual([false, false, true]);
    const password = made.find((first) => first.made)?.password ?? '';
    expect(await parts.get(Passwords).verify(1, password)).not.toBeNull();
    expect(await stateOf(1)).toBe('open');
    expect(await stateOf(2)).toBe('none');
  });

  it('gets another link at each start, and none while nothing can be written', async () => {
    const away = { commands: { execute: () => Promise.reject(new Error('the event store is away')) } as unknown as CommandBus };
    expect(await ensureFirstAccount(config(), { ...parts, ...away })).toMatchObject({ made: false, link: null });
    expect(await ensureFirstAccount(config(), parts)).toMatchObject({ made: false, link: expect.any(String) });
  });

  it('gets a new password, recorded in the log, when the start crashed before showing it', async () => {
    await parts.claims.release('first-account', 'installation', 'installation');
    const { password } = await ensureFirstAccount(config(), parts);
    expect(await parts.get(Passwords).verify(1, password ?? '')).not.toBeNull();
    const types: string[] = [];
    for await (const { type, meta } of parts.store.readStream(accountStream(1), { direction: 'backward', limit: 2 }))
      if (meta.actor.kind === 'cli' && meta.actor.id === 'installation') types.push(type);
    expect(types).toEqual(['PasswordResetOffered', 'PasswordChanged']);
  });
});

describe('after a crash', () => {
  it('a claimed address without an account is released, and the late opening fails', async () => {
    const late = context();
    const userId = await parts.claims.claimNext('user-id', late.commandId);
    await parts.claims.claim(EMAIL_CLAIM, await parts.get(EmailDirectory).hashOf('crashed@example.test'), accountStream(userId), -1);
    await sweepClaims(parts.claims, async (claim) => (await unfinished.fence(claim)) ?? 'holder won');
    expect(await stateOf(userId)).toBe('abandoned');
    const again = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('crashed@example.test') }));
    expect(again.opened).toBe(true);
    expect(again.userId).not.toBe(userId);
    expect(await parts.commands.execute(new OpenAccount(late, { wanted: wanted('crashed@example.test') }))).toEqual({
      userId: again.userId,
      opened: false,
    });
  });

  it('an opened account keeps its address although the claim was not confirmed', async () => {
    const { userId } = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('unkept@example.test') }));
    await database.pool.query(`UPDATE claim SET expires = now() - interval '1 second' WHERE kind = 'email' AND holder = $1`, [
      accountStream(userId),
    ]);
    await sweepClaims(parts.claims, async (claim) => (await unfinished.fence(claim)) ?? 'holder won');
    expect(await parts.get(EmailDirectory).userIdOf('unkept@example.test')).toBe(userId);
    expect(await stateOf(userId)).toBe('open');
  });

  it('a started erasure is completed', async () => {
    const { userId } = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('half-erased@example.test') }));
    const sealed = await parts.keyring.seal(accountStream(userId), 'name');
    const asked = systemContext({ kind: 'user', id: String(userId), tokenId: 'a'.repeat(24) }, Date.now() - 60_000);
    await parts.get(Erasures).begin(userId, asked);
    await unfinished.run();
    expect(await stateOf(userId)).toBe('erased');
    const { actor, commandId, occurredAt } = asked;
    expect((await lastOf(accountStream(userId)))?.meta).toMatchObject({ actor, commandId, occurredAt });
    expect(await parts.keyring.open(sealed)).toBeNull();
    expect(await parts.get(EmailDirectory).userIdOf('half-erased@example.test')).toBeNull();
    expect(await parts.get(Erasures).unfinished()).toEqual([]);
    await unfinished.run();
  });

  it('the mail that reports an erasure is sent afterwards, also when the process crashed before the mail server answered', async () => {
    const { userId } = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('erased@example.test') }));
    const outboxWith = (send: Mailer['send']): MailOutbox =>
      new MailOutbox({ pool: parts.pool, secrets: parts.secrets, mailer: { send }, report: () => undefined });
    const notice = new ErasureNotice(
      parts.views,
      parts.keyring,
      outboxWith(() => new Promise(() => undefined)),
    );
    const crashed = new AccountErasure(
      parts.commands,
      parts.get(Erasures),
      new PostgresInvitations(parts.pool),
      parts.get(Departures),
      notice,
    );
    await crashed.erase(context(), userId);
    expect(await stateOf(userId)).toBe('erased');
    await database.pool.query('UPDATE mail_outbox SET due_at = now()');
    const sent: string[] = [];
    const resumed = outboxWith(({ to, subject }) => (sent.push(to, subject), Promise.resolve({ kind: 'sent' })));
    await resumed.sendDue();
    await resumed.close();
    expect(sent).toEqual(['erased@example.test', 'Watchledger: your account was erased']);
  });

  it('a project transferred to an account during its erasure is deleted with it', async () => {
    const { userId } = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('crossed@example.test') }));
    const target = projectTarget('c'.repeat(24));
    const apiKey = await parts.keyring.seal(target.scope, 'key');
    const wish = { projectId: 'c'.repeat(24), payerId: 1, settings: projectSettings, apiKey, preset: false };
    await parts.runner.run(target, context(), (project) => create(project, wish));
    await parts.get(AccountErasure).erase(context(), userId);
    // The transfer checked before that the account exists.
    const slot = await parts.claims.claimSlot(PROJECT_SLOT, String(userId), null, wish.projectId);
    await unfinished.run();
    await parts.runner.run(target, context(), () => [{ type: 'ProjectTransferred' as const, data: { from: 1, to: userId } }]);
    await parts.claims.keep(PROJECT_SLOT, slot ?? '', wish.projectId);
    expect(await parts.runner.read(target)).toMatchObject({ kind: 'open', payerId: userId });
    await unfinished.run();
    expect((await parts.runner.read(target)).kind).toBe('deleted');
    expect((await lastOf(target.stream))?.meta.actor).toEqual({ kind: 'cli', id: 'test' });
  });

  it('a started sign-out is completed with the event of its requester, and the session is invalid from its start', async () => {
    const { userId } = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('half-signed-out@example.test') }));
    const hash = await database.pool.query<{ hash: string }>(`INSERT INTO passwords (user_id, hash) VALUES ($1, 'hash') RETURNING hash`, [
      userId,
    ]);
    const origin = { address: '192.0.2.1', userAgent: null };
    const signIn = new SignInAccount(context(), {
      userId,
      expiresAt: new Date(Date.now() + 60_000),
      proof: { passwordHash: hash.rows[0]?.hash ?? '' },
      origin,
      most: 100,
    });
    const { tokenId } = (await parts.commands.execute(signIn)) ?? { tokenId: '' };
    const [tokens, sessions] = [new TokenStore(database.pool), new SessionStore(database.pool)];
    expect(await tokens.use(tokenId)).not.toBeNull();
    const { actor, commandId, occurredAt } = systemContext({ kind: 'user', id: String(userId), tokenId }, Date.now() - 60_000);
    await sessions.beginEnding(userId, tokenId, { actor, commandId, occurredAt });
    expect(await tokens.use(tokenId)).toBeNull();
    expect(await sessions.ofUser(userId)).toEqual([]);
    await unfinished.run();
    expect(await lastOf(`login-${tokenId}`)).toMatchObject({ type: 'TokenRevoked', meta: { actor, commandId, occurredAt } });
    expect(await sessions.endings()).toEqual([]);
    await unfinished.run();
    expect((await lastOf(`login-${tokenId}`))?.revision).toBe(1);
  });

  it('an invitation ends with an event at its time, an earlier row is kept, and one without an invitation goes', async () => {
    const projectId = 'd'.repeat(24);
    const target = projectTarget(projectId);
    const wish = { projectId, payerId: 1, settings: projectSettings, apiKey: await parts.keyring.seal(target.scope, 'key'), preset: false };
    await parts.runner.run(target, context(), (project) => create(project, wish));
    const invited = (email: string, lifetime: number) =>
      parts.commands.execute(
        new InviteMember(context(), { projectId, email, role: '6', by: 1, expiresAt: new Date(Date.now() + lifetime), most: 100 }),
      );
    const rows = async (): Promise<readonly string[]> =>
      (await database.pool.query<{ id: string }>('SELECT id FROM invitation ORDER BY expires_at')).rows.map(({ id }) => id);
    await invited('over@example.test', -1);
    await invited('pending@example.test', 60_000);
    const [over = '', pending = ''] = await rows();
    // As a crash leaves them: before the row was kept, and before the event.
    await database.pool.query('UPDATE invitation SET expires_at = now() WHERE id = $1', [pending]);
    const address = await parts.keyring.seal(target.scope, 'never@example.test');
    await new PostgresInvitations(database.pool).reserve({ id: 'e'.repeat(24), projectId, addressHash: 'h', address });
    await database.pool.query('UPDATE invitation SET expires_at = now() WHERE id = $1', ['e'.repeat(24)]);
    await unfinished.run();
    expect(await rows()).toEqual([pending]);
    expect(await lastOf(target.stream)).toMatchObject({ type: 'InvitationExpired', data: { invitationId: over } });
    const { rowCount } = await database.pool.query('SELECT FROM invitation WHERE id = $1 AND expires_at > now()', [pending]);
    expect(rowCount).toBe(1);
    await unfinished.run();
    expect(await parts.runner.read(target)).toMatchObject({ kind: 'open', invitations: new Map([[pending, expect.anything()]]) });
  });

  it('a started password change is completed with the event of its requester', async () => {
    const { userId } = await parts.commands.execute(new OpenAccount(context(), { wanted: wanted('half-changed@example.test') }));
    const { actor, commandId, occurredAt } = systemContext({ kind: 'user', id: String(userId) }, Date.now() - 60_000);
    await parts.get(PasswordChanges).begin({ userId, by: 'owner', actor, commandId, occurredAt }, 'correct horse', null);
    expect(await parts.get(Passwords).verify(userId, 'correct horse')).toBeNull();
    await unfinished.run();
    expect(await parts.get(Passwords).verify(userId, 'correct horse')).not.toBeNull();
    expect(await lastOf(accountStream(userId))).toMatchObject({ type: 'PasswordChanged', meta: { actor, commandId, occurredAt } });
    expect(await parts.get(PasswordChanges).pending()).toEqual([]);
  });
});
