import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf, isNoneMatch } from './entity-tags.ts';

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
type ContentCoding = keyof typeof CODINGS;

interface ConsoleFile {
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
function codingFor({ coded }: ConsoleFile, acceptEncoding: string): ContentCoding | null {
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

/** Scripts and styles of our own files only, and no text that becomes script: what sites and users wrote is data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const PAGE = 'index.html';

/** The built console: its page under every path below `/console`, so that deep links open, and its assets (docs/decisions/console.md). */
export function serveConsole(fastify: FastifyInstance, readFiles = readConsoleFiles): void {
  let files: ReturnType<typeof readConsoleFiles> | undefined;
  const answer = async (path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    files ??= readFiles();
    const file = (await files).get(path);
    if (file !== undefined) return sendFile(path, file, request, reply);
    reply.callNotFound();
    return reply;
  };
  // A person is led to the console; a program gets the answer of an unknown path.
  fastify.get('/', ({ headers }, reply) => {
    if (headers.accept?.includes('text/html') !== true) reply.callNotFound();
    else void reply.header('vary', 'Accept').redirect('console/', 302);
  });
  fastify.get('/console', (request, reply) => answer(PAGE, request, reply));
  fastify.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const { '*': path } = request.params;
    return answer(path.startsWith('assets/') ? path : PAGE, request, reply);
  });
}

function sendFile(path: string, file: ConsoleFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  // The name of an asset changes with its content; the page names the assets of its build.
  const caching = path === PAGE ? 'no-cache' : 'public, max-age=31536000, immutable';
  // Weak, because the forms differ in their bytes.
  void reply.headers({ ...HEADERS, 'cache-control': caching, etag: `W/${file.tag}`, vary: 'Accept-Encoding' });
  const known = headers['if-none-match'];
  if (known !== undefined && !isNoneMatch(known, file.tag)) return reply.code(304).send();
  const coding = codingFor(file, headers['accept-encoding'] ?? '');
  if (coding !== null) void reply.header('content-encoding', coding);
  return reply.type(file.type).send(coding === null ? file.plain : file.coded[coding]);
}
