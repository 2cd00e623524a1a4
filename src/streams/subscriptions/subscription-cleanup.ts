import { Inject, Injectable } from '@nestjs/common';
import type { AccountOrphans } from '../../accounts/erasure/account-erasure.ts';
import { serviceNumber } from '../../accounts/rights/roles.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { serviceAccountsIn } from '../../projects/service-accounts/service-account.view.ts';
import { SubscriptionStore } from './subscription-store.ts';

/** Deletes the subscriptions of accounts and service accounts that have ended. */
@Injectable()
export class SubscriptionCleanup implements AccountOrphans {
  constructor(
    private readonly subscriptions: SubscriptionStore,
    @Inject(ViewsAt) private readonly views: Pick<ViewsAt, 'now'>,
  ) {}

  deleteOfErased(): Promise<void> {
    return this.subscriptions.deleteOfErased();
  }

  /**
   * Also of those whose project was deleted. Subscriptions are read before the service accounts, which a token needed when it made one, so none of a living
   * account is deleted.
   */
  async deleteOfEndedServices(): Promise<void> {
    const views = this.views.now();
    for (const service of await this.subscriptions.subscribedServices()) {
      const accounts = await serviceAccountsIn(views, service.projectId);
      if (!accounts.some(({ id }) => serviceNumber(id) === service.userId)) await this.subscriptions.deleteOfService(service);
    }
  }
}
