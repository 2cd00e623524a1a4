import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../config.ts';
import { SettlePassword } from '../../commands/password.commands.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { Passwords } from '../../security/passwords/passwords.ts';
import { RequestContexts } from '../context/request-context.ts';
import { stateOf } from '../context/request-state.ts';
import { NotAuthenticated, PasswordWrong, RecentSignInNeeded } from '../errors/refusals.ts';
import { MAX_PASSWORD } from './authenticate.dto.ts';
import { LoginThrottle } from './login-throttle.ts';

/** Decides whether the caller has confirmed who they are recently enough for what takes over or ends an account. */
@Injectable()
export class RecentSignIn {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(RequestContexts) private readonly contexts: RequestContexts,
  ) {}

  /**
   * Passes with a token that was signed in within REAUTHENTICATE_MINUTES, or with the password as a member of the body; throws otherwise. A
   * second factor that an account has is asked for here, too.
   */
  async require(request: FastifyRequest): Promise<void> {
    const { principal } = stateOf(request);
    if (principal === undefined) throw new NotAuthenticated();
    const password = passwordIn(request.body);
    if (password !== null) return this.requirePassword(principal.userId, password, request.ip, 'password');
    const { reauthenticateMinutes: minutes } = this.config;
    const age = principal.signedInAt === null ? Infinity : Date.now() - principal.signedInAt;
    if (age > minutes * 60_000 || minutes === 0) throw new RecentSignInNeeded(minutes);
  }

  /** A wrong password counts as a failed login. `field`: the member of the body that held it. */
  async requirePassword(userId: number, password: string, address: string, field: string): Promise<void> {
    const attempt = await this.throttle.attempt({ userId, name: `account ${String(userId)}` }, address);
    await attempt.refuseIfExhausted();
    await this.commands.execute(new SettlePassword(userId, { gate: this.contexts.gate }));
    if ((await this.passwords.verify(userId, password)) === null) {
      await attempt.recordFailure();
      throw new PasswordWrong(field);
    }
    // As at a login: concurrent guesses may have used up the attempts.
    await attempt.refuseIfExhausted();
  }
}

function passwordIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'password')) return null;
  const { password } = body as { readonly password: unknown };
  if (password === null) return null;
  if (typeof password === 'string' && password.length > 0 && password.length <= MAX_PASSWORD) return password;
  throw new InvalidInput(`password: must be text of 1 to ${String(MAX_PASSWORD)} characters`);
}
