import type pg from 'pg';
import { serviceNumber } from '../../accounts/rights/service-number.ts';
import { serviceAccountsIn } from '../../projects/service-accounts/service-accounts.reader.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import { SubscriptionStore } from '../../streams/subscriptions/subscription-store.ts';

/**
 * Deletes the subscriptions of service accounts that were deleted, or whose project was. Subscriptions are read before the service accounts, which a token
 * needed when it made one, so none of a living account is deleted.
 */
export async function deleteOfEndedServices(pool: pg.Pool, views: Pick<Views, 'get'>): Promise<void> {
  const subscriptions = new SubscriptionStore(pool);
  for (const service of await subscriptions.subscribedServices()) {
    const accounts = await serviceAccountsIn(views, service.projectId);
    if (!accounts.some(({ id }) => serviceNumber(id) === service.userId)) await subscriptions.deleteOfService(service);
  }
}
