import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../../kernel/start-refused.ts';
import { decodedText, fetchSource, SourceAnswers } from '../import-source.ts';
import { objectIn, objectsIn, parsedSource, type SourceObject, textIn } from '../source-values.ts';

const ONE_PROJECT = /\/project\/([^/]+)\/?$/;
/** Paths that list projects; services of the interface differ, because it names none. */
const LISTS = ['/projects', '/project', '/project/list'];
const [ATTEMPTS, MOST_SECONDS, MOST_PAGES] = [5, 120, 10_000];

export interface SourceProject {
  readonly project: SourceObject;
  readonly areas: readonly SourceObject[];
  readonly tests: readonly SourceObject[];
}

/** Reads the projects of a service with the interface of docs/spec/interface.md. */
export class ApiSource {
  private readonly base: string;
  private readonly only: string | null;

  constructor(
    address: string,
    private readonly token: string,
  ) {
    this.only = ONE_PROJECT.exec(address)?.[1] ?? null;
    const base = address.replace(ONE_PROJECT, '').replace(/\/+$/, '');
    this.base = new URL(base).pathname === '/' ? `${base}/api` : base;
  }

  /** Each in full, because a list may show a part of the fields, with its groups and tests; those that the token may not read by their ids. */
  async *projects(): AsyncGenerator<SourceProject | string> {
    if (this.only !== null) yield await this.projectOf(this.only);
    else
      for (const id of await this.listed()) {
        const found = await this.ifAllowed(() => this.projectOf(id));
        yield found ?? id;
      }
  }

  private async projectOf(id: string): Promise<SourceProject> {
    const project = objectIn(await this.get(`/project/${encodeURIComponent(id)}`));
    return { project, ...(await this.contentsOf(textIn(project['id']))) };
  }

  private async contentsOf(id: string): Promise<Omit<SourceProject, 'project'>> {
    const project = `/project/${encodeURIComponent(id)}`;
    const [areas, tests] = await Promise.all([this.get(`${project}/areas`), this.testsOf(project)]);
    return { areas: itemsIn(areas, 'areas'), tests: itemsIn(tests, 'tests') };
  }

  /** Null when the token may not read them, or the service does not have them. */
  async usersOf(id: string): Promise<readonly SourceObject[] | null> {
    const users = await this.getIfAllowed(`/project/${encodeURIComponent(id)}/users`);
    return users === null ? null : itemsIn(users, 'users');
  }

  async notificationsOf(id: string): Promise<SourceObject | null> {
    const settings = await this.getIfAllowed(`/project/${encodeURIComponent(id)}/notifications`);
    return settings === null ? null : objectIn(settings);
  }

  private getIfAllowed(path: string): Promise<unknown> {
    return this.ifAllowed(() => this.getIfThere(path));
  }

  private async ifAllowed<Read>(read: () => Promise<Read>): Promise<Read | null> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof SourceAnswers && error.status === 403) return null;
      throw error;
    }
  }

  /** The summary of the status has the tests, too, where there is no list of them. */
  private async testsOf(project: string): Promise<unknown> {
    return (await this.getIfThere(`${project}/tests`)) ?? (await this.get(`${project}/status`));
  }

  private async listed(): Promise<readonly string[]> {
    for (const path of LISTS) {
      const first = await this.getIfThere(path);
      if (first !== null) return this.followed(path, first);
    }
    throw new StartRefused(`${this.base}: lists no projects; name one by an address that ends in /project/ID`);
  }

  /** A list, or pages of one with a cursor. */
  private async followed(path: string, first: unknown): Promise<readonly string[]> {
    const ids: string[] = [];
    let page = first;
    for (let nth = 0; nth < MOST_PAGES; nth++) {
      ids.push(...itemsIn(page, 'projects').flatMap((one) => (textIn(one['id']) === '' ? [] : [textIn(one['id'])])));
      const cursor = textIn(objectIn(page)['nextCursor']);
      if (cursor === '') break;
      page = await this.get(`${path}?cursor=${encodeURIComponent(cursor)}`);
    }
    return [...new Set(ids)];
  }

  private async get(path: string): Promise<unknown> {
    const found = await this.getIfThere(path);
    if (found === null) throw new StartRefused(`${this.base}${path}: answers 404`);
    return found;
  }

  /** Null when the service does not have the path. A service that limits requests says when to continue. */
  private async getIfThere(path: string): Promise<unknown> {
    const url = `${this.base}${path}`;
    for (let attempt = 1; ; attempt++) {
      try {
        const bytes = await fetchSource(url, { authorization: `Bearer ${this.token}`, accept: 'application/json' });
        return parsedSource(decodedText(bytes, url), url);
      } catch (error) {
        if (!(error instanceof SourceAnswers)) throw error;
        if (error.status === 404) return null;
        const isBusy = error.status === 429 || error.status === 503;
        if (!isBusy || attempt === ATTEMPTS) throw error;
        await sleep(Math.min(MOST_SECONDS, error.retryAfter ?? attempt) * 1_000);
      }
    }
  }
}

/** A list, an object that has it under its name, or an object of the items by their ids. */
function itemsIn(answer: unknown, name: string): readonly SourceObject[] {
  if (Array.isArray(answer)) return objectsIn(answer);
  const given = objectIn(answer);
  const inside = given[name] ?? given['data'];
  if (inside !== undefined) return itemsIn(inside, name);
  return Object.entries(given).flatMap(([id, one]) => objectsIn([one]).map((item) => ({ id, ...item })));
}
