import { json } from './bench-service.ts';

export const READ_PROJECTS = 20;

/** The addresses of a few new projects, for `steadyReads`. */
export async function createReadProjects(address: string, token: string): Promise<readonly string[]> {
  const urls: string[] = [];
  while (urls.length < READ_PROJECTS) {
    const made = await json(`${address}/api/project/create`, { url: 'https://example.com', checkInterval: 'false' }, token);
    urls.push(`${address}/api/project/${(JSON.parse(made) as { readonly id: string }).id}`);
  }
  return urls;
}
