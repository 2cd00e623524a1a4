import { Injectable } from '@nestjs/common';
import { derivedId } from '../../kernel/ids.ts';
import { unlessParked, ViewsAt } from '../../platform/read-models/views/views.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { AddressBook } from '../sender/address-book.ts';
import type { ErasureNotices } from '../../accounts/erasure/account-erasure.ts';

const SUBJECT = 'Watchledger: your account was erased';
const TEXT = `Your account on Watchledger was erased, with the projects that it owned. This was confirmed by a recent sign-in or the password of the account, or
done by an operator of the installation. It cannot be undone.

If this was not you, tell the operator of the installation, and change the password wherever you use the same one.
`;

/**
 * The last mail to an account. Notices of the notification outbox find their address when they are sent; this one is stored with its address, in the
 * outbox of mails, because the erasure destroys the key of the address.
 */
@Injectable()
export class ErasureNotice implements ErasureNotices {
  private readonly addresses: AddressBook;

  constructor(
    views: ViewsAt,
    keyring: Keyring,
    private readonly mails: MailOutbox,
  ) {
    this.addresses = new AddressBook(views, keyring);
  }

  /** Answers when the mail is stored, once for an erasure that is resumed meanwhile. Without a `userId`, so that the erasure does not delete it. */
  async store(userId: number): Promise<void> {
    const address = await unlessParked(this.addresses.ofAccount(userId));
    if (address === 'parked' || address.kind === 'none') return;
    await this.mails.add({ id: derivedId('erasure notice', userId), to: address.settings['address'] ?? '', subject: SUBJECT, text: TEXT });
  }
}
