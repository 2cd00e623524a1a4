import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { until } from '../../test/support/until.ts';
import { openConsole, openerOf } from './open-console.ts';

describe('the opener of a desktop', () => {
  it('is that of the platform', () => {
    expect(openerOf('darwin', {})).toEqual(['open']);
    expect(openerOf('win32', {})).toEqual(['cmd', '/c', 'start', '']);
    expect(openerOf('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
    expect(openerOf('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open']);
  });

  it('is none on a server, over SSH and in CI', () => {
    expect(openerOf('linux', {})).toBeNull();
    expect(openerOf('linux', { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' })).toBeNull();
    expect(openerOf('darwin', { CI: 'true' })).toBeNull();
  });
});

it('opens the link by a file that only its owner reads, and no argument names the link', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-opener-'));
  const [opener, seen] = [join(folder, 'xdg-open'), join(folder, 'seen')];
  writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$*" > ${seen}\n`);
  chmodSync(opener, 0o755);
  await openConsole('http://127.0.0.1:3000/console/welcome#link=secret', 'linux', {
    DISPLAY: ':0',
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
  });
  await until(() => Promise.resolve(existsSync(seen) && readFileSync(seen, 'utf8') !== ''), 5_000, 'the opener runs');
  const page = readFileSync(seen, 'utf8');
  expect(page).not.toContain('secret');
  expect(readFileSync(page, 'utf8')).toContain('url=http://127.0.0.1:3000/console/welcome#link=secret');
  expect(statSync(page).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true, force: true });
});
