import { pause } from '../../kernel/abortable.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { unlessParked } from '../../projections/views/views.ts';
import type { Keyring } from '../../security/keyring/keyring.ts';
import type { Mailer } from '../mail/mailer.ts';
import { AddressBook } from '../sender/address-book.ts';

/** A mail server that does not answer must not keep an account from being erased. */
const LONGEST_MS = 5_000;

const SUBJECT = 'Watchledger: your account was erased';
const TEXT = `Your account on Watchledger was erased, with the projects that it owned. This was confirmed by a recent sign-in or the password of the account, or
done by an operator of the installation. It cannot be undone.

If this was not you, tell the operator of the installation, and change the password wherever you use the same one.
`;

/**
 * The last mail to an account. It cannot wait in the outbox: the erasure destroys the key of the address. An erasure that a crash interrupted
 * sends it again.
 */
export class Farewell {
  private readonly addresses: AddressBook;

  constructor(
    views: ViewsAt,
    keyring: Keyring,
    private readonly mailer: Mailer,
  ) {
    this.addresses = new AddressBook(views, keyring);
  }

  async send(userId: number): Promise<void> {
    const address = await unlessParked(this.addresses.ofAccount(userId));
    if (address === 'parked' || address.kind === 'none') return;
    const stop = new AbortController();
    const sending = this.mailer.send({ to: address.settings['address'] ?? '', subject: SUBJECT, text: TEXT });
    await Promise.race([sending, pause(LONGEST_MS, stop.signal)]);
    stop.abort();
  }
}
