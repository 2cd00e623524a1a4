import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { file, folder, freePort, get, has, onClose, pause, serve } from '../software.mjs';

/** Servers and proxies in front of something that is broken: nothing listens, the answer is nonsense, or it does not come. */
export async function collect(keep) {
  const broken = {
    refused: 1,
    nonsense: await speaking('nonsense\r\n\r\n'),
    closed: await speaking(''),
    silent: await speaking(null),
    dropped: await speaking('HTTP/1.1 200 OK\r\nContent-Le'),
  };
  for (const [name, make] of Object.entries(SERVERS)) {
    if (!has(name)) continue;
    const port = await freePort();
    const root = folder();
    try {
      const { args, how } = make({ root, port, broken });
      const url = await serve(name, args, { port, cwd: root });
      for (const path of [
        ...Object.keys(broken),
        'forbidden/',
        'cgi/broken',
        'php/x.php',
        'error/500',
        'error/502',
        'error/503',
        'error/504',
      ]) {
        const answer = await get(`${url}/${path}`).catch(() => null);
        if (answer !== null && answer.status >= 500)
          keep({ ...answer, name: `${name} ${path} ${String(answer.status)}`, how: `${how ?? name}, ${path}`, isError: true });
      }
    } catch (error) {
      console.error(`  ${name}: ${error.message.slice(0, 300)}`);
    }
  }
  await proxies(keep, broken);
  asShipped(keep);
  await apacheLanguages(keep);
}

async function speaking(text) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (text !== null) socket.end(text);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  onClose(() => server.close());
  return server.address().port;
}

const entries = (broken, line) =>
  Object.entries(broken)
    .map(([path, port]) => line(path, port))
    .join('\n');

const SERVERS = {
  nginx: ({ root, port, broken }) => {
    const conf = `daemon off; pid ${root}/pid; error_log ${root}/log; events {} http { access_log off; server { listen 127.0.0.1:${port};
${entries(broken, (path, to) => `location /${path} { proxy_pass http://127.0.0.1:${to}; proxy_read_timeout 1s; }`)}
location /error/500 { return 500; } location /error/502 { return 502; } location /error/503 { return 503; } location /error/504 { return 504; }
location /php/ { fastcgi_pass 127.0.0.1:1; } } }`;
    return { args: ['-p', root, '-c', file(join(root, 'nginx.conf'), conf)] };
  },
  apache2: ({ root, port, broken }) => {
    file(join(root, 'cgi/broken'), '#!/bin/sh\nexit 1\n');
    const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'cgid', 'alias', 'mime'];
    const conf = `ServerRoot ${root}\nServerName shop.test\nPidFile ${root}/pid\nErrorLog ${root}/log\nListen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data\nGroup www-data\nTypesConfig /etc/mime.types\nProxyTimeout 1\nScriptSock ${root}/sock\nScriptAlias /cgi/ ${root}/cgi/\n<Directory "${root}/cgi">\nRequire all granted\nOptions ExecCGI\n</Directory>
${entries(broken, (path, to) => `ProxyPass /${path} http://127.0.0.1:${to}/`)}
Redirect 503 /error/503\nRedirect 500 /error/500\nRedirect 502 /error/502\nRedirect 504 /error/504`;
    return { args: ['-X', '-f', file(join(root, 'apache.conf'), conf)] };
  },
  haproxy: ({ root, port, broken }) => {
    const conf = `defaults\n mode http\n timeout connect 1s\n timeout server 1s\n timeout client 5s\nfrontend f\n bind 127.0.0.1:${port}
${entries(broken, (path) => ` use_backend ${path} if { path_beg /${path} }`)}
 http-request return status 500 default-errorfiles if { path /error/500 }\n http-request return status 502 default-errorfiles if { path /error/502 }\n http-request return status 504 default-errorfiles if { path /error/504 }
${entries(broken, (path, to) => `backend ${path}\n server s 127.0.0.1:${to}`)}`;
    return { args: ['-f', file(join(root, 'haproxy.cfg'), `${conf}\n`)] };
  },
  lighttpd: ({ root, port, broken }) => {
    const conf = `server.document-root = "${root}"\nserver.port = ${port}\nserver.bind = "127.0.0.1"\nserver.modules = ("mod_proxy", "mod_fastcgi")
${entries(broken, (path, to) => `$HTTP["url"] =^ "/${path}" { proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${to}))) }`)}
fastcgi.server = (".php" => (("host" => "127.0.0.1", "port" => 1, "check-local" => "disable")))\n`;
    return { args: ['-D', '-f', file(join(root, 'lighttpd.conf'), conf)] };
  },
  caddy: ({ root, port, broken }) => {
    const conf = `{\nadmin off\nauto_https off\n}\n:${port} {\n${entries(broken, (path, to) => `reverse_proxy /${path} 127.0.0.1:${to}`)}\nerror /error/500 500\n}\n`;
    return { args: ['run', '--adapter', 'caddyfile', '--config', file(join(root, 'Caddyfile'), conf)] };
  },
  h2o: ({ root, port, broken }) => {
    const conf = `listen:\n  host: 127.0.0.1\n  port: ${port}\nuser: root\nproxy.timeout.io: 1000\nhosts:\n  "127.0.0.1:${port}":\n    paths:\n${entries(broken, (path, to) => `      /${path}:\n        proxy.reverse.url: http://127.0.0.1:${to}/`)}\n`;
    return { args: ['-c', file(join(root, 'h2o.conf'), conf)] };
  },
  varnishd: ({ root, port, broken }) => {
    const vcl = `vcl 4.0;\n${entries(broken, (path, to) => `backend ${path} { .host = "127.0.0.1"; .port = "${to}"; .first_byte_timeout = 1s; }`)}
sub vcl_recv {\n${entries(broken, (path) => `if (req.url ~ "^/${path}") { set req.backend_hint = ${path}; return (pass); }`)}
if (req.url ~ "^/error/500") { return (synth(500)); } if (req.url ~ "^/error/503") { return (synth(503, "Backend is down")); } return (synth(200, "OK")); }\n`;
    return { args: ['-F', '-j', 'none', '-n', root, '-a', `127.0.0.1:${port}`, '-f', file(join(root, 'x.vcl'), vcl)] };
  },
};

/** Proxies that are asked for a site that is broken. */
async function proxies(keep, broken) {
  const started = {};
  if (has('squid'))
    for (const language of ['en', 'de', 'fr', 'es', 'pl'].filter((each) => existsSync(`/usr/share/squid-langpack/${each}`))) {
      const port = await freePort();
      const root = folder();
      const conf = `http_port 127.0.0.1:${port}\npid_filename ${root}/pid\ncache_log /dev/null\naccess_log none\nhttp_access allow all\nread_timeout 1 seconds\nconnect_timeout 1 seconds\nvisible_hostname shop.test\nerror_directory /usr/share/squid-langpack/${language}\n`;
      started[`squid ${language}`] = await serve('squid', ['-N', '-f', file(join(root, 'squid.conf'), conf)], { port });
    }
  if (has('tinyproxy')) {
    const port = await freePort();
    const root = folder();
    const conf = `Port ${port}\nListen 127.0.0.1\nTimeout 2\nDefaultErrorFile "/usr/share/tinyproxy/default.html"\n`;
    started.tinyproxy = await serve('tinyproxy', ['-d', '-c', file(join(root, 'conf'), conf)], { port });
  }
  for (const [name, url] of Object.entries(started))
    for (const [way, port] of [...Object.entries(broken), ['unknown', 80]]) {
      const path = way === 'unknown' ? 'http://no-such-host.invalid/' : `http://127.0.0.1:${String(port)}/`;
      const answer = await get(url, { path }).catch(() => null);
      if (answer !== null && answer.status >= 500)
        keep({ ...answer, name: `${name} ${way}`, how: `${name} as a proxy, ${way}`, isError: true });
    }
}

/** Pages that lie in the packages as they are sent. */
function asShipped(keep) {
  const path = '/etc/haproxy/errors';
  for (const name of existsSync(path) ? readdirSync(path).filter((each) => each.startsWith('5')) : []) {
    const text = readFileSync(join(path, name), 'utf8');
    const body = text.slice(text.search(/\r?\n\r?\n/)).trimStart();
    keep({
      name: `haproxy ${name}`,
      how: `as it lies in Debian's haproxy, ${name}`,
      status: Number(name.slice(0, 3)),
      type: 'text/html',
      body,
      isError: true,
    });
  }
}

/** Apache's error documents, in the languages that it brings. */
async function apacheLanguages(keep) {
  const path = '/usr/share/apache2/error';
  if (!existsSync(path) || !has('apache2')) return;
  const port = await freePort();
  const root = folder();
  const modules = ['mpm_event', 'authz_core', 'alias', 'mime', 'negotiation', 'include', 'filter', 'env', 'setenvif', 'dir'];
  const codes = { 500: 'HTTP_INTERNAL_SERVER_ERROR', 502: 'HTTP_BAD_GATEWAY', 503: 'HTTP_SERVICE_UNAVAILABLE' };
  const conf = `ServerRoot ${root}\nServerName shop.test\nServerAdmin admin@shop.test\nPidFile ${root}/pid\nErrorLog ${root}/log\nListen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data\nGroup www-data\nTypesConfig /etc/mime.types\nAlias /error/ "${path}/"\n<Directory "${path}">\nOptions IncludesNoExec\nAddOutputFilter Includes html\nAddHandler type-map var\nRequire all granted\nLanguagePriority en\nForceLanguagePriority Prefer Fallback\n</Directory>
${Object.entries(codes)
  .map(([code, name]) => `Redirect ${code} /broken/${code}\nErrorDocument ${code} /error/${name}.html.var`)
  .join('\n')}`;
  const url = await serve('apache2', ['-X', '-f', file(join(root, 'apache.conf'), conf)], { port });
  await pause(100);
  for (const language of [
    'en',
    'de',
    'fr',
    'es',
    'it',
    'nl',
    'pl',
    'pt',
    'pt-br',
    'ru',
    'sv',
    'cs',
    'da',
    'fi',
    'ja',
    'ko',
    'nb',
    'ro',
    'sr',
    'tr',
    'zh-cn',
    'zh-tw',
  ])
    for (const code of Object.keys(codes)) {
      const answer = await get(`${url}/broken/${code}`, { headers: { 'accept-language': language } });
      keep({ ...answer, name: `apache2 ${code} ${language}`, how: `Apache's error document, ${language}`, isError: true });
    }
}
