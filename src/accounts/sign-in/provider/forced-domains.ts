import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../platform/config/config.ts';
import { DomainError } from '../../../kernel/errors.ts';
import { accountView } from '../../account.view.ts';
import { ViewsAt } from '../../../platform/read-models/views/views.ts';
import { Keyring } from '../../../platform/security/keyring/keyring.ts';

/** The same for every address of the domain, so that it does not tell which of them have an account. */
export class ProviderSignInForced extends DomainError {
  readonly code = 'PROVIDER_SIGN_IN_FORCED';

  constructor(domain: string, name: string) {
    super(`Addresses of ${domain} have no password here: sign in through ${name} (GET /api/authenticate/provider).`);
  }
}

/** Refuses passwords of addresses that have to sign in through the provider (OIDC_DOMAINS). */
@Injectable()
export class ForcedDomains {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'signInProvider'>,
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
  ) {}

  refuseAddress(email: string): void {
    const { signInProvider: provider } = this.config;
    if (provider === undefined) return;
    // Folded as the directory of addresses folds it.
    const folded = email.trim().normalize('NFC').toLowerCase();
    const domain = folded.slice(folded.lastIndexOf('@') + 1);
    if (provider.domains.includes(domain)) throw new ProviderSignInForced(domain, provider.name);
  }

  /** An unconfirmed account may still set a password with the link that confirms it. */
  async refuseAccount(userId: number, { exceptUnconfirmed = false } = {}): Promise<void> {
    if ((this.config.signInProvider?.domains.length ?? 0) === 0) return;
    const account = await this.views.now().get(accountView, String(userId));
    const email = account === null ? null : await this.keyring.open(account.email);
    if (email === null || (exceptUnconfirmed && account?.confirmed !== true)) return;
    this.refuseAddress(email);
  }
}
