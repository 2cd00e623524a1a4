import { Injectable } from '@nestjs/common';
import { accountView } from '../../accounts/account.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Links } from '../../accounts/links.ts';
import { InvitationReading } from './invitation-reading.ts';

interface Mailed {
  /** User id of the sender. */
  readonly by: number;
  readonly token: string;
  readonly expiresAt: Date;
}

/** Stores the mail of an invitation or an offer before the answer. The same work is done for every address and every number of an account. */
@Injectable()
export class InvitationMail {
  constructor(
    private readonly links: Links,
    private readonly reading: InvitationReading,
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
  ) {}

  async invite({ email, by, token, expiresAt }: Mailed & { readonly email: string }): Promise<void> {
    await this.links.invite(email, 'member', (await this.reading.sender(by)).email, token, expiresAt);
  }

  /**
   * Only a confirmed address gets it: another may belong to someone else. For any other number a mail without a recipient is stored, so that the time of
   * the answer does not show which accounts exist.
   */
  async offer({ to, by, token, expiresAt }: Mailed & { readonly to: number }): Promise<void> {
    const row = await this.views.now().get(accountView, String(to));
    const email = row?.confirmed === true ? await this.keyring.open(row.email) : null;
    await this.links.invite(email ?? `user-${String(to)}@invalid`, 'owner', (await this.reading.sender(by)).email, token, expiresAt);
  }
}
