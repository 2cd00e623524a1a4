import type { Views } from '../../platform/read-models/views/views.ts';
import { INSTALLATION } from '../../platform/read-models/authoring/define-view.ts';
import { installationServiceAccountView, type KnownServiceAccount, serviceAccountView } from './service-account.view.ts';

/** The service accounts of a project; `projectId` null: of the installation. */
export async function serviceAccountsIn(views: Pick<Views, 'get'>, projectId: string | null): Promise<readonly KnownServiceAccount[]> {
  const row =
    projectId === null ? await views.get(installationServiceAccountView, INSTALLATION) : await views.get(serviceAccountView, projectId);
  return row?.accounts ?? [];
}
