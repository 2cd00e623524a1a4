import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { entityTagOf } from './entity-tags.ts';

/** As a build writes them: `index.html`, and `assets` with a hash in each name; the compressed forms have `.br` and `.gz` at the end. */
const FOLDER = new URL('./console/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json; charset=utf-8',
  png: 'image/png',
  ico: 'image/x-icon',
};

const CODINGS = { br: '.br', gzip: '.gz' } as const;
export type ContentCoding = keyof typeof CODINGS;

export interface ConsoleFile {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly coded: Readonly<Partial<Record<ContentCoding, Buffer>>>;
}

/** The files of the console by their path below `/console/`; empty when the build has none. */
export async function readConsoleFiles(folder = FOLDER): Promise<ReadonlyMap<string, ConsoleFile>> {
  const [pages, assets] = await Promise.all([namesIn(folder), namesIn(new URL('assets/', folder))]);
  const paths = [...pages, ...assets.map((name) => `assets/${name}`)];
  const known = new Set(paths);
  const read = async (path: string): Promise<readonly [string, ConsoleFile]> => {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    const plain = await readFile(new URL(path, folder));
    const coded: Partial<Record<ContentCoding, Buffer>> = {};
    for (const [coding, ending] of Object.entries(CODINGS) as [ContentCoding, string][])
      if (known.has(path + ending)) coded[coding] = await readFile(new URL(path + ending, folder));
    return [path, { type, tag: entityTagOf(type, plain), plain, coded }];
  };
  const files = paths.filter((path) => !Object.values(CODINGS).some((ending) => path.endsWith(ending)));
  return new Map(await Promise.all(files.map(read)));
}

/** The smallest form that the client accepts: brotli before gzip. */
export function codingFor({ coded }: ConsoleFile, acceptEncoding: string): ContentCoding | null {
  const accepted = new Map(
    acceptEncoding.split(',').map((part) => {
      const [name = '', weight = 'q=1'] = part.split(';').map((piece) => piece.trim().toLowerCase());
      return [name, Number(weight.replace(/^q=/, ''))] as const;
    }),
  );
  const codings = Object.keys(CODINGS) as ContentCoding[];
  return codings.find((coding) => coded[coding] !== undefined && (accepted.get(coding) ?? accepted.get('*') ?? 0) > 0) ?? null;
}

async function namesIn(folder: URL): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
