import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from './api-client.ts';
import { type Ran, type Running, watchledgerIn, watchledgerProcess } from './command-line.ts';

type Env = Readonly<Record<string, string>>;

/** A folder with site files, and the commands that the owner of an account types in it. */
export class SiteCommands {
  readonly folder = mkdtempSync(join(tmpdir(), 'watchledger-site-commands-'));

  private constructor(
    private readonly token: string,
    /** Of the service. */
    private readonly url: () => string,
  ) {}

  static async of(api: ApiClient, url: () => string): Promise<SiteCommands> {
    return new SiteCommands(await tokenOf(api), url);
  }

  /** As a process of its own. */
  start(env: Env, ...args: readonly string[]): Running {
    return watchledgerProcess(this.folder, this.env(env), ...args);
  }

  run(env: Env, ...args: readonly string[]): Promise<Ran> {
    return watchledgerIn(this.folder, this.env(env), ...args).ran;
  }

  private env(env: Env): Env {
    return { WATCHLEDGER_URL: this.url(), WATCHLEDGER_TOKEN: this.token, ...env };
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** For the commands of an account; `scopes`: a narrowed one. */
export const tokenOf = async (api: ApiClient, scopes?: readonly string[]): Promise<string> =>
  (await api.post('/account/tokens', { name: 'ci', ...(scopes !== undefined && { scopes }) })).body.token as string;
