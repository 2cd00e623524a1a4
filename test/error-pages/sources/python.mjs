import { join } from 'node:path';
import { file, folder, freePort, get, has, serve } from '../software.mjs';

const BREAK = `
class Shop:
    def total(self, rows):
        return sum(row["price"] for row in rows)

def key(): return Shop().total([{}])
def zero(): return 1 / 0
def name(): return undefined_name
def kind(): return "a" + 1
def chained():
    try:
        key()
    except KeyError as e:
        raise RuntimeError("No price in the cart") from e
def lines(): raise ValueError("first line\\nsecond <b>line</b>\\n\\nfourth line")
def database():
    import sqlite3
    return sqlite3.connect(":memory:").execute("SELECT price FROM items")
def connect():
    import socket
    return socket.create_connection(("127.0.0.1", 1))
def deep(n=200): return deep(n - 1) if n else key()
WAYS = dict(key=key, zero=zero, name=name, kind=kind, chained=chained, lines=lines, database=database, connect=connect, deep=deep)
`;
const WAYS = ['key', 'zero', 'name', 'kind', 'chained', 'lines', 'database', 'connect', 'deep'];

/** Each reads the port and whether it is to debug from its arguments. */
const APPS = {
  flask: `from flask import Flask, render_template_string, abort
app = Flask("shop")
@app.route("/")
def home(): return "ok"
@app.route("/<way>")
def broken(way): return str(WAYS[way]())
@app.route("/abort/<int:code>")
def aborted(code): abort(code)
@app.route("/template")
def template(): return render_template_string("<h1>{{ cart.rows[3].price }}</h1>")
app.run(port=PORT, debug=DEBUG, use_reloader=False)`,
  bottle: `import bottle
@bottle.route("/")
def home(): return "ok"
@bottle.route("/<way>")
def broken(way): return str(WAYS[way]())
@bottle.route("/abort/<code:int>")
def aborted(code): bottle.abort(code, "The shop is closed")
@bottle.route("/template")
def template(): return bottle.template("<h1>{{cart.rows}}</h1>")
bottle.debug(DEBUG)
bottle.run(port=PORT, quiet=True)`,
  tornado: `import tornado.web, tornado.ioloop
class Home(tornado.web.RequestHandler):
    def get(self): self.write("ok")
class Broken(tornado.web.RequestHandler):
    def get(self, way): self.write(str(WAYS[way]()))
class Abort(tornado.web.RequestHandler):
    def get(self, code): raise tornado.web.HTTPError(int(code))
tornado.web.Application([("/", Home), (r"/abort/(\\d+)", Abort), (r"/(\\w+)", Broken)], serve_traceback=DEBUG).listen(PORT)
tornado.ioloop.IOLoop.current().start()`,
  aiohttp: `from aiohttp import web
import asyncio
async def home(request): return web.Response(text="ok")
async def broken(request): return web.Response(text=str(WAYS[request.match_info["way"]]()))
async def aborted(request): raise {500: web.HTTPInternalServerError, 502: web.HTTPBadGateway, 503: web.HTTPServiceUnavailable, 504: web.HTTPGatewayTimeout}[int(request.match_info["code"])]()
app = web.Application()
app.add_routes([web.get("/", home), web.get("/abort/{code}", aborted), web.get("/{way}", broken)])
async def main():
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", PORT).start()
    asyncio.get_event_loop().set_debug(DEBUG)
    await asyncio.Event().wait()
asyncio.run(main(), debug=DEBUG)`,
  cherrypy: `import cherrypy
class Root:
    @cherrypy.expose
    def index(self): return "ok"
    @cherrypy.expose
    def abort(self, code): raise cherrypy.HTTPError(int(code))
    @cherrypy.expose
    def default(self, way): return str(WAYS[way]())
cherrypy.config.update({"server.socket_port": PORT, "server.socket_host": "127.0.0.1", "log.screen": False, "request.show_tracebacks": DEBUG, "engine.autoreload.on": False})
cherrypy.quickstart(Root())`,
  starlette: `from starlette.applications import Starlette
from starlette.routing import Route
from starlette.responses import PlainTextResponse
from starlette.exceptions import HTTPException
import uvicorn
async def home(request): return PlainTextResponse("ok")
async def broken(request): return PlainTextResponse(str(WAYS[request.path_params["way"]]()))
async def aborted(request): raise HTTPException(int(request.path_params["code"]))
uvicorn.run(Starlette(debug=DEBUG, routes=[Route("/", home), Route("/abort/{code}", aborted), Route("/{way}", broken)]), port=PORT, log_level="critical")`,
  fastapi: `from fastapi import FastAPI, HTTPException
import uvicorn
app = FastAPI(debug=DEBUG)
@app.get("/")
async def home(): return "ok"
@app.get("/abort/{code}")
async def aborted(code: int): raise HTTPException(code)
@app.get("/{way}")
async def broken(way): return str(WAYS[way]())
uvicorn.run(app, port=PORT, log_level="critical")`,
  django: `import sys
from django.conf import settings
settings.configure(DEBUG=DEBUG, ROOT_URLCONF=__name__, SECRET_KEY="x", ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None,
  TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}], DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}})
from django.http import HttpResponse
from django.urls import path
from django.template import engines
from django.core.exceptions import SuspiciousOperation
def home(request): return HttpResponse("ok")
def broken(request, way): return HttpResponse(str(WAYS[way]()))
def template(request): return HttpResponse(engines["django"].from_string("{% if %}").render())
def query(request):
    from django.db import connection
    return HttpResponse(connection.cursor().execute("SELECT price FROM items"))
urlpatterns = [path("", home), path("template", template), path("query", query), path("<way>", broken)]
from django.core.management import execute_from_command_line
execute_from_command_line(["x", "runserver", "127.0.0.1:%d" % PORT, "--noreload"])`,
  pyramid: `from pyramid.config import Configurator
from pyramid.response import Response
from waitress import serve
def home(request): return Response("ok")
def broken(request): return Response(str(WAYS[request.matchdict["way"]]()))
with Configurator() as config:
    config.add_route("home", "/"); config.add_view(home, route_name="home")
    config.add_route("broken", "/{way}"); config.add_view(broken, route_name="broken")
    serve(config.make_wsgi_app(), port=PORT, host="127.0.0.1", expose_tracebacks=DEBUG, _quiet=True)`,
  waitress: `from waitress import serve
def app(environ, start_response):
    way = environ["PATH_INFO"].strip("/")
    start_response("200 OK", [("Content-Type", "text/html")])
    return [str(WAYS[way]()).encode() if way else b"ok"]
serve(app, port=PORT, host="127.0.0.1", expose_tracebacks=DEBUG, _quiet=True)`,
  wsgiref: `from wsgiref.simple_server import make_server
def app(environ, start_response):
    way = environ["PATH_INFO"].strip("/")
    body = str(WAYS[way]()).encode() if way else b"ok"
    start_response("200 OK", [("Content-Type", "text/html")])
    return [body]
make_server("127.0.0.1", PORT, app).serve_forever()`,
  paste: `from paste import httpserver
from paste.exceptions.errormiddleware import ErrorMiddleware
def app(environ, start_response):
    way = environ["PATH_INFO"].strip("/")
    body = str(WAYS[way]()).encode() if way else b"ok"
    start_response("200 OK", [("Content-Type", "text/html")])
    return [body]
httpserver.serve(ErrorMiddleware(app, {"debug": False}, debug=DEBUG), host="127.0.0.1", port=str(PORT))`,
  webpy: `import web, sys
sys.argv[1:] = [str(PORT)]
class Home:
    def GET(self): return "ok"
class Broken:
    def GET(self, way): return str(WAYS[way]())
app = web.application(("/", "Home", "/(.*)", "Broken"), globals())
if DEBUG: app.internalerror = web.debugerror
web.httpserver.runsimple(app.wsgifunc(), ("127.0.0.1", PORT))`,
  falcon: `import falcon
from wsgiref.simple_server import make_server
class Home:
    def on_get(self, req, resp): resp.text = "ok"
class Broken:
    def on_get(self, req, resp, way): resp.text = str(WAYS[way]())
app = falcon.App(); app.add_route("/", Home()); app.add_route("/{way}", Broken())
make_server("127.0.0.1", PORT, app).serve_forever()`,
  twisted: `from twisted.web import server, resource
from twisted.internet import reactor
class Root(resource.Resource):
    def getChild(self, name, request): return self if name == b"" else Broken(name.decode())
    def render_GET(self, request): return b"ok"
class Broken(resource.Resource):
    isLeaf = True
    def __init__(self, way): super().__init__(); self.way = way
    def render_GET(self, request): return str(WAYS[self.way]()).encode()
site = server.Site(Root()); site.displayTracebacks = DEBUG
reactor.listenTCP(PORT, site, interface="127.0.0.1"); reactor.run()`,
  cgitb: `import cgitb, io
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def do_GET(self):
        way, text = self.path.strip("/"), b"ok"
        if way:
            out = io.StringIO()
            try: WAYS[way]()
            except Exception: cgitb.Hook(display=1 if DEBUG else 0, logdir="/tmp", file=out).handle()
            text = out.getvalue().encode()
        self.send_response(200); self.send_header("Content-Type", "text/html"); self.end_headers(); self.wfile.write(text)
HTTPServer(("127.0.0.1", PORT), Handler).serve_forever()`,
};

export async function collect(keep) {
  const python = ['/usr/bin/python3', 'python3'].find(has);
  if (python === undefined) return;
  for (const [name, code] of Object.entries(APPS)) {
    for (const debug of ['True', 'False']) {
      const port = await freePort();
      const root = folder();
      const head = `PORT = ${String(port)}\nDEBUG = ${debug}\n${BREAK}\n`;
      const app = file(join(root, 'app.py'), head + code);
      let url;
      try {
        url = await serve(python, [app], { port, cwd: root });
      } catch (error) {
        console.error(`  ${name}: ${error.message.split('\n').at(-2) ?? error.message}`);
        break;
      }
      const ways = debug === 'True' ? WAYS : ['key', 'database'];
      for (const path of [...ways, 'template', 'query', 'abort/500', 'abort/502', 'abort/503', 'abort/504']) {
        const answer = await get(`${url}/${path}`).catch(() => null);
        if (answer === null || answer.type.includes('json') || (answer.status === 404 && !path.includes('abort'))) continue;
        if (answer.status < 500 && !['cgitb', 'waitress', 'paste'].includes(name)) continue;
        keep({ ...answer, name: `${name} ${path} debug=${debug}`, how: `${name} under Python, debug=${debug}, ${path}`, isError: true });
      }
    }
  }
}
