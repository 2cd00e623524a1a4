import type { ServiceRole } from '../../accounts/rights/roles.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import { INSTALLATION } from '../../platform/read-models/authoring/define-view.ts';
import type { ServiceAccounts } from './service-account.state.ts';
import { installationServiceAccountView, type ServiceAccountsRow, serviceAccountView } from './service-account.view.ts';

export const serviceAccountTag = (
  serviceAccountId: string,
  { name, role }: { readonly name: string; readonly role: ServiceRole },
): string => settingsTag('serviceAccount', serviceAccountId, { name, role });

export function serviceAccountTagIn(serviceAccountId: string, accounts: ServiceAccounts): string | null {
  const account = accounts.get(serviceAccountId);
  return account === undefined ? null : serviceAccountTag(serviceAccountId, account);
}

/** Without a project it is one of the installation. */
export const serviceAccountThing: Thing = {
  name: 'serviceAccount',
  row: ({ projectId, serviceAccountId }) => {
    const tag = (row: ServiceAccountsRow | null): string | null => {
      const account = row?.accounts.find(({ id }) => id === serviceAccountId);
      return account === undefined ? null : serviceAccountTag(serviceAccountId, account);
    };
    return projectId === '' ? thingRow(installationServiceAccountView, INSTALLATION, tag) : thingRow(serviceAccountView, projectId, tag);
  },
};
