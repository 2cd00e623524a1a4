import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codingFor, type ConsoleFile, readConsoleFiles } from './console-files.ts';
import { isNoneMatch } from './entity-tags.ts';

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
