// The ceiling: verifies the token, reads the row and sends it.
import { createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import jwt from 'jsonwebtoken';
import pg from 'pg';

const key = createSecretKey(Buffer.from(process.env.JWT_KEY, 'hex'));
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const { rows } = await pool.query(`SELECT schema FROM projection WHERE state = 'live' AND schema LIKE 'core%' LIMIT 1`);
const text = `SELECT doc FROM "${rows[0].schema}".project WHERE key = $1`;

const server = createServer((request, response) => {
  try {
    jwt.verify(request.headers.authorization.slice('Bearer '.length), key, { algorithms: ['HS256'] });
  } catch {
    response.writeHead(401).end();
    return;
  }
  void pool.query({ name: 'get', text, values: [request.url.slice(1)] }).then(({ rows: [row] }) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(row.doc));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ address: `http://127.0.0.1:${server.address().port}` }));
});
process.on('SIGTERM', () => process.exit(0));
