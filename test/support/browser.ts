export interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

const MOST_REDIRECTS = 20;

/** Follows redirects and keeps cookies by origin, as a browser does. */
export class Browser {
  private readonly jars = new Map<string, Map<string, string>>();
  /** Every address that was opened, the last at the end. */
  readonly visited: string[] = [];

  /** Stops before an address for which `until` holds. */
  async open(url: string, until: (url: string) => boolean = () => false): Promise<Page> {
    let next = url;
    for (let hop = 0; hop < MOST_REDIRECTS; hop++) {
      this.visited.push(next);
      const answer = await this.fetch(next);
      const location = answer.headers.get('location');
      const text = await answer.text();
      const page = { status: answer.status, url: next, text, headers: answer.headers };
      if (location === null || answer.status < 300 || answer.status >= 400) return page;
      next = new URL(location, next).href;
      if (until(next)) return { ...page, url: next };
    }
    throw new Error(`more than ${String(MOST_REDIRECTS)} redirects from ${url}`);
  }

  async post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    const answer = await this.fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: answer.status, url, text: await answer.text(), headers: answer.headers };
  }

  cookiesOf(url: string): ReadonlyMap<string, string> {
    return this.jarOf(url);
  }

  private async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string> | undefined) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  private jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }
}
