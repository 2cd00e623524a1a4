import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The command that opens a file in the browser of a desktop; null when there is none, or it is another machine's. */
export function openerOf(platform: NodeJS.Platform, env: Environment): readonly [command: string, ...options: string[]] | null {
  if (env['SSH_CONNECTION'] !== undefined || env['CI'] !== undefined) return null;
  if (platform === 'darwin') return ['open'];
  // The empty text is the title of the window.
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  return env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined ? null : ['xdg-open'];
}

/** How long a browser may take to start. */
const KEPT_MS = 60_000;

/**
 * Opens a one-time link where there is a desktop. By way of a file that only the owner reads, because every account of the machine sees the arguments of a
 * command. Whatever fails, the link stands in the terminal.
 */
export async function openConsole(link: string, platform: NodeJS.Platform, env: Environment): Promise<void> {
  const opener = openerOf(platform, env);
  if (opener === null) return;
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-'));
  const page = join(folder, 'console.html');
  await writeFile(page, pageTo(link), { mode: 0o600 });
  const [command, ...options] = opener;
  const child = spawn(command, [...options, page], { detached: true, stdio: 'ignore', env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
  setTimeout(() => void rm(folder, { recursive: true, force: true }).catch(() => undefined), KEPT_MS).unref();
}

/** A page that leads there at once. The link is made of characters that mean nothing in HTML. */
const pageTo = (link: string): string =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">Open the console</a>\n`;
