import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, HttpCode, Inject, Logger, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../kernel/errors.ts';
import { EmailDirectory } from './email-directory.ts';
import { Passwords } from './passwords/passwords.ts';
import { KnownNetworks } from './tokens/known-networks.ts';
import { type NetworkLimit, REGISTRATION_LIMIT } from './tokens/network-limit.ts';
import { LinkStore, type OpenLink } from './tokens/link-store.ts';
import { ChangePassword, LinkInvalid } from './passwords/password.commands.ts';
import { OpenAccount } from './account.commands.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { ForcedDomains } from './sign-in/provider/forced-domains.ts';
import { RequestContexts } from '../platform/http/context/request-context.ts';
import { RateLimited } from '../platform/http/errors/refusals.ts';
import { success } from '../platform/http/presentation/answers.ts';
import { ConfirmDto, RegisterDto, ResetPasswordDto } from './account.api.ts';
import { Links } from './links.ts';
import { Needs } from './rights/needs.ts';
import { openRight } from './rights/right.ts';

export class RegistrationClosed extends DomainError {
  readonly code = 'REGISTRATION_CLOSED';

  constructor() {
    super('Registration is closed here. Ask to be invited to a project.');
  }
}

/** Every answer to a registration comes after one of these times. */
const ANSWERED_AFTER_MS = [500, 1_000, 2_000, 4_000] as const;
/** Opening an account takes some statements more than finding the address taken, which under load is about half as long again. */
const MARGIN = 1.5;
const REMEMBERED_MS = 10_000;

/**
 * Chooses after what time a registration is answered: the same for every address, because it follows the slowest one of the last ten seconds, this one included,
 * so that it tells how busy the service is and not what became of the address.
 */
class RegistrationPace {
  private slowest = { ms: 0, at: -Infinity };

  answerAfter(workMs: number, now: number): number {
    if (workMs >= this.slowest.ms || now - this.slowest.at > REMEMBERED_MS) this.slowest = { ms: workMs, at: now };
    return ANSWERED_AFTER_MS.find((ms) => ms >= MARGIN * this.slowest.ms) ?? Math.max(workMs, ANSWERED_AFTER_MS[3]);
  }
}

/** Operations without a token (docs/spec/decisions.md#A8). */
@Controller('account')
export class RegistrationController {
  private readonly logger = new Logger('account');
  private readonly pace = new RegistrationPace();

  constructor(
    private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    private readonly directory: EmailDirectory,
    private readonly linkStore: LinkStore,
    private readonly links: Links,
    private readonly passwords: Passwords,
    @Inject(REGISTRATION_LIMIT) private readonly registrations: NetworkLimit,
    private readonly networks: KnownNetworks,
    private readonly forced: ForcedDomains,
    private readonly contexts: RequestContexts,
  ) {}

  @Post('register')
  @Needs(openRight)
  @HttpCode(200)
  async register(@Body() body: RegisterDto, @Req() { ip }: FastifyRequest): Promise<object> {
    if (this.config.registration !== 'open') throw new RegistrationClosed();
    this.forced.refuseAddress(body.email);
    const wait = await this.registrations.count(ip);
    if (wait > 0) throw new RateLimited(wait, 'registrations');
    // The same hashing and the same time in both cases, against account enumeration.
    const began = performance.now();
    try {
      await this.open(body);
    } finally {
      const now = performance.now();
      await sleep(this.pace.answerAfter(now - began, now) - (now - began));
    }
    return success;
  }

  /** A taken address is revealed to its owner alone, by mail. */
  private async open({ email, password, name }: RegisterDto): Promise<void> {
    const context = this.contexts.of({ kind: 'user', id: '' });
    const wanted = {
      email,
      password,
      name,
      plan: this.config.defaultPlan,
      systemRole: null,
      confirmed: false,
      by: 'registration',
    } as const;
    const { userId, opened } = await this.commands.execute(new OpenAccount(context, { wanted }));
    // Hashes as a registration does.
    if (!opened) await this.passwords.verify(null, password);
    await this.links.offer({ ...context, actor: { kind: 'user', id: String(userId) } }, userId, email, opened ? 'registration' : 'taken');
    await context.waitUntilVisible();
  }

  /** Sets the password, too: who registered the address and who reads its mail need not be the same person. */
  @Post('confirm')
  @Needs(openRight)
  @HttpCode(200)
  async confirm(@Body() { token, password }: ConfirmDto, @Req() { ip }: FastifyRequest): Promise<object> {
    await this.setPassword(token, password, ip);
    return success;
  }

  /** Answers alike, and as fast, whether the address is known or not. */
  @Post('password/reset')
  @Needs(openRight)
  @HttpCode(200)
  async reset(@Body() { email, token, password }: ResetPasswordDto, @Req() { ip }: FastifyRequest): Promise<object> {
    if (token !== undefined && password !== undefined) await this.setPassword(token, password, ip);
    else if (email !== undefined) {
      this.forced.refuseAddress(email);
      void this.offerReset(email).catch((error: unknown) => {
        this.logger.error(error);
      });
    }
    return success;
  }

  /** Who uses the mailed link is the owner: guesses of others do not keep them out. */
  private async setPassword(token: string, password: string, address: string): Promise<void> {
    const link = await this.linkStore.find(token);
    const { userId } = validLink(link?.purpose === 'notification' ? null : link);
    await this.forced.refuseAccount(userId, { exceptUnconfirmed: true });
    const context = this.contexts.of({ kind: 'user', id: String(userId) });
    await this.commands.execute(new ChangePassword(context, { userId, password, by: 'link', link: token }));
    await this.networks.add(userId, address);
    await context.waitUntilVisible();
  }

  private async offerReset(email: string): Promise<void> {
    const userId = await this.directory.userIdOf(email);
    if (userId === null) return;
    await this.links.offer(this.contexts.of({ kind: 'user', id: String(userId) }), userId, email, 'reset');
  }
}

function validLink(link: OpenLink | null): OpenLink {
  if (link === null) throw new LinkInvalid();
  return link;
}
