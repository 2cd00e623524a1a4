import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Passwords } from '../../security/passwords/passwords.ts';
import { OpenAccount, type OpenedAccount } from '../../commands/account.commands.ts';
import { CONFIG, type Config } from '../../config.ts';
import type { RequestContext } from '../context/request-context.ts';
import { Links } from '../account/links.ts';

/** Opens an account for a new member who has none; it is confirmed by mail. */
@Injectable()
export class Invitation {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(Links) private readonly links: Links,
  ) {}

  async account(context: RequestContext, email: string): Promise<OpenedAccount> {
    const name = email.slice(0, email.lastIndexOf('@'));
    const wanted = {
      email,
      name,
      password: null,
      plan: this.config.defaultPlan,
      systemRole: null,
      confirmed: false,
      by: 'invitation',
    } as const;
    return this.commands.execute(new OpenAccount(context, wanted));
  }

  /** Called after the membership was recorded; an account with a password needs no link. */
  async invite(context: RequestContext, userId: number, email: string): Promise<void> {
    if (!(await this.passwords.has(userId))) await this.links.offer(context, userId, email, 'invitation');
  }
}
