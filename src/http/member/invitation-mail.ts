import { Inject, Injectable, Logger } from '@nestjs/common';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { Links } from '../account/links.ts';
import { InvitationReading } from './invitation-reading.ts';

interface Mailed {
  /** User id of the sender. */
  readonly by: number;
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Invitations are stored before the answer, alike for every address. The offer to an account is mailed after the answer, whose time therefore tells
 * nothing about it.
 */
@Injectable()
export class InvitationMail {
  private readonly logger = new Logger('links');

  constructor(
    @Inject(Links) private readonly links: Links,
    @Inject(InvitationReading) private readonly reading: InvitationReading,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(KEYRING) private readonly keyring: Keyring,
  ) {}

  async invite({ email, by, token, expiresAt }: Mailed & { readonly email: string }): Promise<void> {
    await this.links.invite(email, 'member', (await this.reading.sender(by)).email, token, expiresAt);
  }

  /** Only to a confirmed address: another may belong to someone else. */
  offer({ to, by, token, expiresAt }: Mailed & { readonly to: number }): void {
    this.later(async () => {
      const row = await this.views.now().get(accountView, String(to));
      const email = row?.confirmed === true ? await this.keyring.open(row.email) : null;
      if (email !== null) await this.links.invite(email, 'owner', (await this.reading.sender(by)).email, token, expiresAt);
    });
  }

  private later(work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      this.logger.error(error);
    });
  }
}
