import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EmailDirectory } from '../../security/email-directory.ts';
import { Passwords } from '../../security/passwords/passwords.ts';
import { SettlePassword } from '../../commands/password.commands.ts';
import { SignInAccount, type SignInOrigin } from '../../commands/session.commands.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { RequestContexts } from '../context/request-context.ts';
import { NotAuthenticated } from '../errors/refusals.ts';
import type { AuthenticateDto } from './authenticate.dto.ts';
import { readExpiry } from './expiry.ts';
import { LoginThrottle } from './login-throttle.ts';
import { TokenSigner } from './token-signer.ts';

export interface SignedIn {
  readonly token: string;
  readonly expiresAt: Date;
}

const DEFAULT_EXPIRY = '+1 hour';

/** docs/spec/decisions.md#A1. */
@Injectable()
export class SignIn {
  private readonly clock: Clock = systemClock;

  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(EmailDirectory) private readonly directory: EmailDirectory,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(TokenSigner) private readonly signer: TokenSigner,
    @Inject(RequestContexts) private readonly contexts: RequestContexts,
  ) {}

  /** An unknown e-mail and a wrong password get the same answer after the same work, against account enumeration. */
  async signIn({ email, password, exp }: AuthenticateDto, origin: SignInOrigin): Promise<SignedIn> {
    const now = this.clock.now();
    const expiry = readExpiry(exp ?? DEFAULT_EXPIRY, now);
    if ('problem' in expiry) throw new InvalidInput(`exp: ${expiry.problem}`);
    const userId = await this.directory.userIdOf(email);
    const attempt = await this.throttle.attempt({ userId, name: email }, origin.address);
    await attempt.refuseIfExhausted();
    // Completes a password change that a crash interrupted; runs for unknown e-mails, too, so that both take equally long.
    await this.commands.execute(new SettlePassword(userId ?? 0, { gate: this.contexts.gate }));
    const passwordHash = await this.passwords.verify(userId, password);
    if (userId === null || passwordHash === null) {
      await attempt.recordFailure();
      throw refused();
    }
    // Concurrent guesses may have used up the attempts: then a right guess among them must not succeed.
    await attempt.refuseIfExhausted();
    // Issued at the instant of the request, so that a token for an hour lasts an hour however long hashing took.
    const context = this.contexts.of({ kind: 'user', id: String(userId) }, now);
    const issued = await this.commands.execute(new SignInAccount(context, userId, new Date(expiry.at), passwordHash, origin));
    if (issued === null) throw refused();
    // Another process may have created the account a moment ago: the token works once its owner is readable.
    await context.waitUntilVisible();
    return { token: this.signer.sign(userId, issued.tokenId, issued), expiresAt: issued.expiresAt };
  }
}

const refused = (): NotAuthenticated => new NotAuthenticated('The e-mail or the password is wrong.');
