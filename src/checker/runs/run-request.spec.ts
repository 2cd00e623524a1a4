import { describe, expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import type { AreaRow } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { bindHeaders } from '../../projects/checks/bound-headers.ts';
import type { CheckOptions } from '../../projects/checks/check.settings.ts';
import type { ProbeRequest } from '../probe/probe-request.ts';
import { requestOf } from './run-request.ts';

const keyring = new MemoryKeyring();
const lines = (name: string, count: number): string => Array.from({ length: count }, (_, i) => `X-${name}-${String(i)}: 1`).join('\n');

async function namesSent(ofArea: string, own: string, url = '/'): Promise<readonly string[]> {
  return ((await requestTo(url, ofArea, own)).headers ?? []).map(([name]) => name);
}

async function requestTo(url: string, ofArea: string, own: string, more: Partial<CheckOptions> = {}): Promise<ProbeRequest> {
  const [headers, w] = await Promise.all([ofArea, own].map((text) => keyring.seal('project', text)));
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
    settings: projectSettings,
  };
  const area: AreaRow = {
    ...{ id: 'area', projectId: 'project', foundChecksum: null, firstChecksum: null, order: 1 },
    settings: { name: 'Public', public: true, rules: [], httpAuth: null, form: null, period: 'true', headers: headers ?? null },
  };
  const check: CheckRow = {
    ...{ id: 'check', projectId: 'project', areaId: 'area', order: 2 },
    settings: {
      ...{ name: '', url, enabled: true, notice: '', type: 'simple', rules: [], template: { id: '', vars: [] } },
      options: { '2': false, '6': false, g: false, l: false, w: w ?? null, ...more },
    },
  };
  return requestOf(project, area, check, keyring);
}

describe('requestOf', () => {
  it('sends the headers of the area and those of the check, however many they are together', async () => {
    expect(await namesSent('X-A: 1', 'X-B: 2\nX-C: 3')).toEqual(['X-A', 'X-B', 'X-C']);
    expect(await namesSent(lines('area', 40), lines('own', 40))).toHaveLength(80);
    expect(await namesSent('', `X-B: ${'b'.repeat(8_000)}`)).toEqual(['X-B']);
    expect(await namesSent(`X-A: ${'a'.repeat(8_000)}`, `X-B: ${'b'.repeat(8_000)}`)).toEqual(['X-A', 'X-B']);
  });

  it('sends no header to another site than the one that it was given for', async () => {
    const { origin } = new URL(projectSettings.url);
    const elsewhere = 'https://elsewhere.example';
    const [ofArea, own] = [bindHeaders({ origin, lines: 'X-A: 1' }), bindHeaders({ origin: elsewhere, lines: 'X-B: 2' })];
    expect(await namesSent(ofArea, own, '/path')).toEqual(['X-A']);
    expect(await namesSent(ofArea, own, `${elsewhere}/path`)).toEqual(['X-B']);
    expect(await namesSent(ofArea, own, 'https://third.example/')).toEqual([]);
    expect(await namesSent('X-A: 1', '', 'https://third.example/')).toEqual([]);
  });

  it('sends a body with its method, and to the site that it was given for only', async () => {
    const { origin } = new URL(projectSettings.url);
    const body = await keyring.seal('project', bindHeaders({ origin, lines: '@a\n{"secret": 1}' }));
    const sent = await requestTo('/', '', '', { method: 'PATCH', contentType: 'application/json', body });
    expect(sent).toMatchObject({ method: 'PATCH', body: { contentType: 'application/json', bytes: Buffer.from('@a\n{"secret": 1}') } });
    expect(await requestTo('https://elsewhere.example/', '', '', { method: 'POST', body })).not.toHaveProperty('body');
    expect(await requestTo('/', '', '', { body: null })).not.toHaveProperty('body');
    expect(await requestTo('/', '', '')).not.toHaveProperty('method');
  });
});
