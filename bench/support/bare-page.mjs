// The ceiling: a bare Fastify that sends the bytes of a file.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const body = readFileSync(process.env.BODY);
const server = fastify();
server.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').header('content-encoding', 'br').send(body));
const address = await server.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ address }));
process.on('SIGTERM', () => process.exit(0));
