import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';

// Serves a page over HTTP and HTTPS, optionally delayed, on ports that it prints; in its own process, so that its cost is not measured.
process.once('message', ({ page, key, cert, host, afterMs }) => {
  const body = Buffer.from(page);
  const answer = (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': body.length, 'X-Frame-Options': 'DENY' });
    if (afterMs > 0) setTimeout(() => response.end(body), afterMs);
    else response.end(body);
  };
  const servers = [createHttp(answer), createHttps({ key, cert }, answer)];
  let listening = 0;
  for (const server of servers) {
    server.listen(0, host, 1024, () => {
      if (++listening === servers.length) process.send({ http: servers[0].address().port, https: servers[1].address().port });
    });
  }
});
process.once('disconnect', () => process.exit());
