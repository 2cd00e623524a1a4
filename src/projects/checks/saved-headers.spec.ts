import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import type { Sealed } from '../../kernel/event.ts';
import type { ProjectRow } from '../project.view.ts';
import { SavedHeaders } from './saved-headers.ts';

const SITE = 'https://site.example/shop';
const project = { id: 'p', settings: { ...projectSettings, url: SITE } } as ProjectRow;
let keyring: MemoryKeyring;
let headers: SavedHeaders;
let saved: Sealed | null;
beforeEach(async () => {
  keyring = new MemoryKeyring();
  headers = new SavedHeaders(keyring);
  saved = await headers.toSave('X-Key: one\nX-Key: two\nAccept-Language: de', null, SITE, project);
});

const opened = async (sealed: Sealed | null): Promise<string | null> => (sealed === null ? null : keyring.open(sealed));

describe('saved headers', () => {
  it('are shown by their names only', async () => {
    expect(await headers.masked(saved)).toBe('X-Key: ********\nX-Key: ********\nAccept-Language: ********');
    expect(await headers.masked(null)).toBe('');
  });

  it('stay as they are when their answer is sent back, also after the project moved', async () => {
    expect(await headers.toSave(await headers.masked(saved), saved, 'https://other.example/', project)).toBe(saved);
    expect(await headers.toSave('********', saved, SITE, project)).toBe(saved);
  });

  it('keep masked values by name and order, change the others, and are removed by an empty text', async () => {
    const changed = await headers.toSave('X-Key: ********\nAccept-Language: fr\nx-key: ********', saved, SITE, project);
    expect(await opened(changed)).toBe('@https://site.example\nX-Key: one\nAccept-Language: fr\nX-Key: two');
    expect(await headers.toSave('', saved, SITE, project)).toBeNull();
  });

  it('refuse a mask without a saved value, and more than may be saved', async () => {
    await expect(headers.toSave('X-Other: ********', saved, SITE, project)).rejects.toThrow('options.w: X-Other has no saved value');
    await expect(headers.toSave('X-Key: ********', null, SITE, project)).rejects.toThrow('options.w: X-Key has no saved value');
    const large = await headers.toSave(`X-Key: ${'x'.repeat(8000)}`, null, SITE, project);
    const given = `X-Key: ********\nX-More: ${'y'.repeat(1000)}`;
    await expect(headers.toSave(given, large, SITE, project)).rejects.toThrow('options.w: the extra headers are longer than 8 KiB');
  });

  it('are not given to another site', async () => {
    const elsewhere = 'https://evil.example/';
    await expect(headers.toSave('X-Key: ********', saved, elsewhere, project)).rejects.toThrow(
      'options.w: must be given again, because url leads to another site',
    );
    expect(await opened(await headers.toSave('X-Key: new', saved, elsewhere, project))).toBe('@https://evil.example\nX-Key: new');
    await expect(headers.refuseToLeave(saved, SITE, elsewhere, SITE)).rejects.toThrow('must be given again');
    await headers.refuseToLeave(saved, SITE, 'https://site.example/other', SITE);
    await headers.refuseToLeave(null, SITE, elsewhere, SITE);
  });
});
