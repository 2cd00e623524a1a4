import type { WatchedProject } from '../../src/checker/projects/watched-projects.ts';
import type { AreaRow } from '../../src/projects/areas/area.view.ts';
import type { CheckRow } from '../../src/projects/checks/check.view.ts';
import { projectSettings } from './project-settings.ts';

/** A check in a group whose sign-in form is at `url`. */
export function planWithForm(url: string): { readonly plan: WatchedProject; readonly check: CheckRow } {
  const form = { identifier: 'login', enabled: true, method: 'POST', action: '', originalAction: '', relativeAction: '' } as const;
  const area: AreaRow = {
    id: 'area',
    projectId: 'project',
    settings: {
      ...{ name: 'Members', public: false, rules: [], httpAuth: null, period: 'true', headers: null },
      form: { ...form, baseUrl: url, params: null, html: '', checksum: '' },
    },
    foundChecksum: null,
    firstChecksum: null,
    order: 1,
  };
  const check: CheckRow = {
    id: 'check',
    projectId: 'project',
    areaId: 'area',
    settings: {
      ...{ name: 'Inside', url: '/', enabled: true, notice: '', type: 'simple', rules: [], template: { id: '', vars: [] } },
      options: { '2': false, '6': false, g: false, l: false, w: null },
    },
    order: 2,
  };
  const project = {
    ...{
      id: 'project',
      payerId: 1,
      preset: false,
      createdAt: '2026-01-01T00:00:00.000Z',
      isWordPress: null,
      members: [],
      invitations: [],
      transfer: null,
    },
    apiKey: { subject: 'project', sealed: '' },
    settings: { ...projectSettings, url, timeout: 1 },
  };
  return { plan: { project, areas: new Map([['area', area]]), checks: new Map([['check', check]]) }, check };
}
