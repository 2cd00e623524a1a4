import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as ask, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { DomainError } from '../../kernel/errors.ts';
import { withoutLogin } from '../../platform/postgres/connection-settings.ts';
import { currentReplica } from '../../platform/postgres/read-replicas/current-replica.ts';
import type { TeamAccess } from '../calls.ts';
import { REPLICA_HEADER, ROUTE_LIMITS } from '../team-limits.ts';
import type { RunningChild } from './running-child.ts';
import type { TeamProcess } from './team-process.ts';

/** The process of the package does not run, or did not answer in time. */
export class TeamUnavailable extends DomainError {
  readonly code = 'TEAM_UNAVAILABLE';
}

interface Served {
  readonly socket: string;
  readonly token: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the controllers of a package see of a request: neither its token nor its cookies. */
const REQUEST_HEADERS = ['accept', 'accept-language', 'content-type', 'user-agent'];
const ANSWER_HEADERS = [
  ...['cache-control', 'content-disposition', 'content-language', 'content-type', 'last-modified', 'link', 'location', 'retry-after'],
  'watchledger-error-code',
];

/** Reaches the controllers of one package, in its process, over a socket of this machine. The right of the caller has been checked; time and size are bounded. */
export class TeamRoutes {
  private readonly served = new WeakMap<RunningChild, Promise<Served>>();
  private readonly limit = new ConcurrencyLimit(ROUTE_LIMITS.concurrent, { maxQueue: ROUTE_LIMITS.concurrent });
  private readonly agent = new Agent({ keepAlive: true });
  private folder: Promise<string> | undefined;
  private sockets = 0;

  constructor(
    readonly team: TeamProcess,
    private readonly access: () => Promise<TeamAccess>,
    /** Addresses of the read replicas. */
    private readonly replicas: readonly string[],
  ) {}

  /** Has the process that runs serve the routes; again after each start of it. */
  serve(child: RunningChild): Promise<Served> {
    const known = this.served.get(child);
    if (known !== undefined) return known;
    const serving = this.serveOn(child);
    this.served.set(child, serving);
    serving.catch(() => {
      this.served.delete(child);
    });
    return serving;
  }

  async forward(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { child } = this.team;
    if (child === null) throw new TeamUnavailable('The package of this route is not running. Retry shortly.');
    const replica = currentReplica()?.name;
    const { status, headers, body } = await this.limit.run(async () => this.ask(await this.serve(child), request, replica));
    // The console has the same origin, with its session.
    void reply.status(status).headers({ ...headers, 'content-security-policy': "default-src 'none'; sandbox" });
    const isJson = (headers['content-type'] ?? '').startsWith('application/json');
    // The answer to a write is kept for its repeat.
    if (isJson && request.method !== 'GET' && request.method !== 'HEAD') return JSON.parse(body.toString());
    return isJson ? body.toString() : body;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    if (this.folder !== undefined) await rm(await this.folder, { recursive: true, force: true });
  }

  private async serveOn(child: RunningChild): Promise<Served> {
    this.folder ??= mkdtemp(join(tmpdir(), 'watchledger-'));
    const socket = join(await this.folder, `${String(this.sockets++)}.sock`);
    const token = randomBytes(24).toString('base64url');
    const access = await this.access();
    const replicas = access.login === null ? this.replicas : this.replicas.map(withoutLogin);
    await child.call('serve', { socket, token, access, replicas });
    return { socket, token };
  }

  private ask({ socket, token }: Served, request: FastifyRequest, replica: string | undefined): Promise<Answer> {
    const body = request.body === undefined || request.body === null ? null : JSON.stringify(request.body);
    const { method } = request;
    const signal = AbortSignal.timeout(ROUTE_LIMITS.milliseconds);
    return new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        reject(
          new TeamUnavailable(
            signal.aborted
              ? `The package of this route did not answer within ${String(ROUTE_LIMITS.milliseconds / 1_000)} s.`
              : 'The package of this route broke off its answer. Retry shortly.',
            { cause: error },
          ),
        );
      };
      const sent = ask(
        {
          socketPath: socket,
          path: request.url,
          method: method === 'HEAD' ? 'GET' : method,
          agent: this.agent,
          signal,
          headers: {
            ...picked(request.headers, REQUEST_HEADERS),
            ...(body !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            authorization: `Bearer ${token}`,
            'x-request-id': request.id,
            ...(replica !== undefined && { [REPLICA_HEADER]: replica }),
          },
        },
        (answer) => {
          readAnswer(answer).then(resolve, failed);
        },
      );
      sent.on('error', failed);
      sent.end(body);
    });
  }
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ROUTE_LIMITS.bytes) throw new Error(`the answer is longer than ${String(ROUTE_LIMITS.bytes)} bytes`);
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 500, headers: picked(answer.headers, ANSWER_HEADERS), body: Buffer.concat(chunks) };
}

const picked = (headers: IncomingMessage['headers'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
