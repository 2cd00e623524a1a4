import { Body, Controller, HttpCode, Inject, Logger, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DomainError } from '../../kernel/errors.ts';
import { EmailDirectory } from '../../security/email-directory.ts';
import { LinkStore, type OpenLink } from '../../security/tokens/link-store.ts';
import { ChangePassword, LinkInvalid } from '../../commands/password.commands.ts';
import { OpenAccount } from '../../commands/account.commands.ts';
import { CONFIG, type Config } from '../../config.ts';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { RequestContexts } from '../context/request-context.ts';
import { success } from '../presentation/answers.ts';
import { ConfirmDto, RegisterDto, ResetPasswordDto } from './account.dto.ts';
import { Links } from './links.ts';
import { People, presentAccount } from './person.ts';
import { Needs } from '../rights/needs.ts';
import { openRight } from '../rights/right.ts';

export class RegistrationClosed extends DomainError {
  readonly code = 'REGISTRATION_CLOSED';

  constructor() {
    super('Registration is closed here. Ask to be invited to a project.');
  }
}

export class EmailTaken extends DomainError {
  readonly code = 'EMAIL_TAKEN';

  constructor() {
    super('email: already has an account.');
  }
}

/** Operations without a token (docs/spec/decisions.md#A8). */
@Controller('account')
export class RegistrationController {
  private readonly logger = new Logger('account');

  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(EmailDirectory) private readonly directory: EmailDirectory,
    @Inject(LinkStore) private readonly linkStore: LinkStore,
    @Inject(Links) private readonly links: Links,
    @Inject(People) private readonly people: People,
    @Inject(RequestContexts) private readonly contexts: RequestContexts,
  ) {}

  @Post('register')
  @Needs(openRight)
  @HttpCode(200)
  async register(@Body() { email, password, name }: RegisterDto): Promise<object> {
    if (this.config.registration !== 'open') throw new RegistrationClosed();
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
    const { userId, opened } = await this.commands.execute(new OpenAccount(context, wanted));
    if (!opened) throw new EmailTaken();
    await this.links.offer({ ...context, actor: { kind: 'user', id: String(userId) } }, userId, email, 'registration');
    await context.waitUntilVisible();
    const row = await this.views.now().get(accountView, String(userId));
    return row === null ? success : presentAccount(await this.people.open(row, userId));
  }

  /** Sets the password, too: who registered the address and who reads its mail need not be the same person. */
  @Post('confirm')
  @Needs(openRight)
  @HttpCode(200)
  async confirm(@Body() { token, password }: ConfirmDto): Promise<object> {
    await this.setPassword(token, password);
    return success;
  }

  /** Answers alike, and as fast, whether the address is known or not. */
  @Post('password/reset')
  @Needs(openRight)
  @HttpCode(200)
  async reset(@Body() { email, token, password }: ResetPasswordDto): Promise<object> {
    if (token !== undefined && password !== undefined) await this.setPassword(token, password);
    else if (email !== undefined)
      void this.offerReset(email).catch((error: unknown) => {
        this.logger.error(error);
      });
    return success;
  }

  private async setPassword(token: string, password: string): Promise<void> {
    const { userId } = validLink(await this.linkStore.find(token));
    const context = this.contexts.of({ kind: 'user', id: String(userId) });
    await this.commands.execute(new ChangePassword(context, userId, password, 'link', token));
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
