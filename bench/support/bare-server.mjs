// The ceiling: a bare Fastify that verifies the token, reads the row and sends it.
import { createSecretKey } from 'node:crypto';
import fastify from 'fastify';
import jwt from 'jsonwebtoken';
import pg from 'pg';

const key = createSecretKey(Buffer.from(process.env.JWT_KEY, 'hex'));
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const { rows } = await pool.query(`SELECT schema FROM projection WHERE state = 'live' AND schema LIKE 'core%' LIMIT 1`);
const text = `SELECT doc FROM "${rows[0].schema}".project WHERE key = $1`;

const server = fastify();
server.get('/:id', async (request, reply) => {
  try {
    jwt.verify(request.headers.authorization.slice('Bearer '.length), key, { algorithms: ['HS256'] });
  } catch {
    return reply.code(401).send();
  }
  const found = await pool.query({ name: 'get', text, values: [request.params.id] });
  return found.rows[0].doc;
});
const address = await server.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ address }));
process.on('SIGTERM', () => process.exit(0));
