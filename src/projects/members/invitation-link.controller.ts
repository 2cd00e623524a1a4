import { Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { OpenAccount } from '../../accounts/account.commands.ts';
import { AcceptInvitation } from './invitation.commands.ts';
import { ChangePassword, LinkInvalid } from '../../accounts/passwords/password.commands.ts';
import { AcceptTransfer } from '../transfer.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { markup } from '../../kernel/markup.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { accountView } from '../../accounts/account.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { EmailDirectory } from '../../accounts/email-directory.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Invitations, type StoredInvitation } from '../../accounts/tokens/invitations.ts';
import { type LinkPage, passwordField, sendLinkPage } from '../../accounts/link-page.ts';
import { RequestContexts } from '../../platform/http/context/request-context.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { openRight } from '../../accounts/rights/right.ts';
import { InvitationReading } from './invitation-reading.ts';
import { AcceptByLinkDto } from './invitation.api.ts';

const OVER: LinkPage = { title: 'This invitation is not valid any more', form: null };

/** The account of the address; null: none. */
type Addressee = { readonly userId: number; readonly confirmed: boolean } | null;

/** The link in the mail of an invitation or offer: its holder reads the mail of the address. */
@Controller('account/invitation')
export class InvitationLinkController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    private readonly stored: Invitations,
    private readonly reading: InvitationReading,
    private readonly directory: EmailDirectory,
    private readonly keyring: Keyring,
    private readonly views: ViewsAt,
    private readonly contexts: RequestContexts,
  ) {}

  @Get()
  @Needs(openRight)
  async page(@Query('token') token: unknown, @Res() reply: FastifyReply): Promise<void> {
    const stored = typeof token === 'string' && token.length <= 200 ? await this.stored.byToken(token) : null;
    sendLinkPage(reply, stored === null ? OVER : await this.pageOf(stored));
  }

  @Post()
  @Needs(openRight)
  @HttpCode(200)
  async accept(@Body() { token, password }: AcceptByLinkDto): Promise<object> {
    const stored = await this.stored.byToken(token);
    if (stored === null) throw new LinkInvalid();
    const userId = await this.settledAccount(stored, password);
    const context = this.contexts.of({ kind: 'user', id: String(userId) });
    const { id, kind } = stored;
    await this.commands.execute(
      kind === 'member'
        ? new AcceptInvitation(context, { invitationId: id, userId })
        : new AcceptTransfer(context, { transferId: id, userId }),
    );
    await context.waitUntilVisible();
    return success;
  }

  private async pageOf(stored: StoredInvitation): Promise<LinkPage> {
    const addressee = await this.addresseeOf(stored);
    const fields = addressee?.confirmed === true ? null : passwordField('Choose a password to sign in with');
    const form = { fields, button: 'Accept' };
    const invitation = await this.reading.invitation(stored);
    if (invitation !== null) {
      const { invitedBy, project, role } = invitation;
      const text = `${named(invitedBy)} invites you to the project ${about(project)} as ${role.name.toLowerCase()}.`;
      return { title: 'Invitation to a project', text: markup`<p>${text}</p>`, form };
    }
    const transfer = await this.reading.transfer(stored);
    if (transfer === null) return OVER;
    const text = `${named(transfer.offeredBy)} offers you the project ${about(transfer.project)}. It will count against the limit of your plan.`;
    return { title: 'A project is offered to you', text: markup`<p>${text}</p>`, form };
  }

  /** The link has proven the address: an account that was never confirmed begins anew with the chosen password, an address without one gets one. */
  private async settledAccount(stored: StoredInvitation, password: string | undefined): Promise<number> {
    const addressee = await this.addresseeOf(stored);
    if (addressee?.confirmed === true) return addressee.userId;
    if (password === undefined) throw new InvalidInput('password: is required; choose one to sign in with');
    const { userId } = addressee ?? (await this.openAccount(stored, password));
    if (addressee === null) return userId;
    const context = this.contexts.of({ kind: 'user', id: String(userId) });
    await this.commands.execute(new ChangePassword(context, { userId, password, by: 'link' }));
    await context.waitUntilVisible();
    return userId;
  }

  private async openAccount(stored: StoredInvitation, password: string): Promise<{ readonly userId: number }> {
    const email = await this.emailOf(stored);
    if (email === null) throw new LinkInvalid();
    const context = this.contexts.of({ kind: 'user', id: '' });
    const name = email.slice(0, email.lastIndexOf('@'));
    const { defaultPlan: plan } = this.config;
    const wanted = { email, name, password, plan, systemRole: null, confirmed: true, by: 'invitation' } as const;
    const { userId, opened } = await this.commands.execute(new OpenAccount(context, { wanted }));
    await context.waitUntilVisible();
    if (!opened) throw new LinkInvalid();
    return { userId };
  }

  private async addresseeOf(stored: StoredInvitation): Promise<Addressee> {
    const email = await this.emailOf(stored);
    const userId = email === null ? stored.userId : await this.directory.userIdOf(email);
    const row = userId === null ? null : await this.views.now().get(accountView, String(userId));
    return row === null || userId === null ? null : { userId, confirmed: row.confirmed };
  }

  private emailOf({ address }: StoredInvitation): Promise<string | null> {
    return address === null ? Promise.resolve(null) : this.keyring.open(address);
  }
}

const named = ({ name, email }: { readonly name: string | null; readonly email: string | null }): string =>
  email === null ? 'A user' : `${name ?? ''} (${email})`;

const about = ({ title, url }: { readonly title: string; readonly url: string }): string => `“${title}” (${url})`;
