import { Agent, request } from 'node:http';

const MAKERS = 32;
const TRIES = 10;
const READ_EVERY_MS = 50;
const WRITE_EVERY_MS = 500;

/** API clients: they create the projects, then read and change them at a steady rate, independent of response times. */
export class Clients {
  readonly reads: number[] = [];
  readonly writes: number[] = [];
  failures = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly underway = new Set<Promise<void>>();

  private constructor(
    private readonly address: string,
    private readonly token: string,
    private readonly ids: string[] = [],
  ) {}

  /** `maker`: has made the projects. */
  static async signIn(address: string, account: object, maker?: Clients): Promise<Clients> {
    const answer = await fetch(`${address}/api/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    return new Clients(address, await answer.text(), maker?.ids);
  }

  async make(count: number, url: string): Promise<void> {
    let begun = 0;
    await Promise.all(
      Array.from({ length: MAKERS }, async () => {
        while (begun < count) {
          const index = begun++;
          const { id } = (await this.askWithRetry('POST', '/project/create', { url, addPresetChecks: false })) as { id: string };
          await this.askWithRetry('PUT', `/project/${id}`, { uptimeEnabled: index % 2 === 0 ? '30' : 'false', period: '5 minutes' });
          await this.askWithRetry('POST', `/project/${id}/tests`, {
            name: 'Home',
            url,
            rules: [{ type: 'text', op: 'sub', val: 'Welcome' }],
          });
          this.ids.push(id);
        }
      }),
    );
  }

  /** Sites with uptime every 15 s, and so many checks of one rule every five minutes. */
  async makeSites(count: number, url: string, checks: number): Promise<void> {
    let begun = 0;
    await Promise.all(
      Array.from({ length: MAKERS }, async () => {
        while (begun++ < count) {
          const { id } = (await this.askWithRetry('POST', '/project/create', { url, addPresetChecks: false })) as { id: string };
          await this.askWithRetry('PUT', `/project/${id}`, { uptimeEnabled: '15', period: '5 minutes' });
          for (let check = 0; check < checks; check++)
            await this.askWithRetry('POST', `/project/${id}/tests`, {
              ...{ name: `Page ${String(check)}`, url: `${url}?${String(check)}` },
              rules: [{ type: 'text', op: 'sub', val: 'Welcome' }],
            });
          this.ids.push(id);
        }
      }),
    );
  }

  begin(): void {
    const each = (milliseconds: number, times: number[], act: () => Promise<unknown>): void => {
      this.timers.push(
        setInterval(() => {
          const sent = performance.now();
          const done = act().then(
            () => void times.push(performance.now() - sent),
            () => {
              this.failures++;
            },
          );
          this.underway.add(done);
          void done.then(() => this.underway.delete(done));
        }, milliseconds),
      );
    };
    each(READ_EVERY_MS, this.reads, () => this.ask('GET', `/project/${this.any()}`));
    each(WRITE_EVERY_MS, this.writes, () => this.ask('PUT', `/project/${this.any()}`, { title: `Changed at ${new Date().toISOString()}` }));
  }

  async end(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.underway);
    this.agent.destroy();
  }

  private any(): string {
    return this.ids[Math.floor(Math.random() * this.ids.length)] ?? '';
  }

  /** Retries after 503 while creating projects, where nothing is measured. */
  private async askWithRetry(...[method, path, body]: Parameters<Clients['ask']>): Promise<unknown> {
    for (let again = 0; again < TRIES; again++) {
      try {
        return await this.ask(method, path, body);
      } catch (error) {
        if (!String(error).includes(' 503 ')) throw error;
        await new Promise((over) => setTimeout(over, 1_000));
      }
    }
    return this.ask(method, path, body);
  }

  private ask(method: string, path: string, body?: object): Promise<unknown> {
    return new Promise((done, failed) => {
      const headers = { authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const sent = request(`${this.address}/api${path}`, { method, agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => {
          if (response.statusCode === 200) done(JSON.parse(text));
          else failed(new Error(`${method} ${path} was answered ${String(response.statusCode)} ${text}`));
        });
      });
      sent.once('error', failed).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
