import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { file, folder, freePort, get, has, serve } from '../software.mjs';

const JSP = {
  null: '<h1>Shop</h1><% String price = null; %><p><%= price.length() %></p>',
  zero: '<h1>Shop</h1><p><%= 1 / (request.getParameter("none") == null ? 0 : 1) %></p>',
  compile: '<h1>Shop</h1><p><%= cart.rows() %></p>',
  cause: '<% try { ((Object) null).hashCode(); } catch (Exception e) { throw new ServletException("Cannot show the cart", e); } %>',
  state: '<% throw new IllegalStateException("No price for item 17 <b>here</b>"); %>',
  sent: '<% response.sendError(500, "The cart is broken"); %>',
  unavailable: '<% response.sendError(503); %>',
  index: 'ok',
};

/** Tomcat as Debian brings it, with pages that break. */
export async function collect(keep) {
  const home = '/usr/share/tomcat10';
  if (!existsSync(home) || !has('java')) return;
  const root = folder();
  const port = await freePort();
  execFileSync('cp', ['-rL', '/etc/tomcat10', join(root, 'conf')]);
  file(
    join(root, 'conf/server.xml'),
    `<Server port="-1"><Service name="Catalina"><Connector port="${String(port)}" address="127.0.0.1"/><Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/></Engine></Service></Server>`,
  );
  for (const each of ['logs', 'temp', 'work']) file(join(root, each, '.keep'), '');
  for (const [name, code] of Object.entries(JSP))
    file(join(root, `webapps/ROOT/${name}.jsp`), `<%@ page contentType="text/html" %>${code}`);
  const url = await serve('sh', [join(home, 'bin/catalina.sh'), 'run'], {
    port,
    cwd: root,
    env: { CATALINA_HOME: home, CATALINA_BASE: root },
  });
  for (const name of Object.keys(JSP)) {
    const answer = await get(`${url}/${name}.jsp`).catch(() => null);
    if (answer !== null && answer.status >= 500)
      keep({ ...answer, name: `tomcat10 ${name}`, how: `tomcat10 of Debian, ${name}.jsp`, isError: true });
  }
}
