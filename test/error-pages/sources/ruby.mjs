import { join } from 'node:path';
import { file, folder, freePort, get, has, serve } from '../software.mjs';

const BREAK = `
class Cart; def total(rows) rows.sum { |row| row.fetch(:price) } end end
WAYS = {
  'key' => -> { Cart.new.total([{}]) }, 'method' => -> { nil.price }, 'zero' => -> { 1 / 0 }, 'name' => -> { undefined_name },
  'lines' => -> { raise "first line\\nsecond <b>line</b>" }, 'file' => -> { File.read('/missing') }, 'load' => -> { require 'missing' },
  'connect' => -> { require 'socket'; TCPSocket.new('127.0.0.1', 1) }, 'cause' => -> { begin; nil.price; rescue; raise ArgumentError, 'Cannot show the cart'; end },
}
`;
const rack =
  "app = ->(env) { way = env['PATH_INFO'][1..]; [200, { 'content-type' => 'text/html' }, [way == '' ? 'ok' : WAYS[way].call.to_s]] }\n";
const APPS = {
  'rack-showexceptions': `${rack}require 'rack'\nuse Rack::ShowExceptions\nrun app`,
  rack: `${rack}run app`,
  'sinatra-debug':
    "require 'sinatra/base'\nclass Shop < Sinatra::Base; set :environment, :development; set :show_exceptions, true; get('/') { 'ok' }; get('/template') { erb '<%= cart.rows %>' }; get('/:way') { WAYS[params[:way]].call.to_s }; end\nrun Shop",
  sinatra:
    "require 'sinatra/base'\nclass Shop < Sinatra::Base; set :environment, :production; get('/') { 'ok' }; get('/:way') { WAYS[params[:way]].call.to_s }; end\nrun Shop",
};

export async function collect(keep) {
  if (!has('puma')) return;
  for (const [name, code] of Object.entries(APPS))
    for (const mode of ['development', 'production']) {
      const root = folder();
      const port = await freePort();
      file(join(root, 'config.ru'), `${BREAK}\n${code}\n`);
      const url = await serve('puma', ['-e', mode, '-b', `tcp://127.0.0.1:${String(port)}`, '-q', 'config.ru'], { port, cwd: root }).catch(
        (error) => {
          console.error(`  ${name}: ${error.message.slice(0, 300)}`);
          return null;
        },
      );
      if (url === null) break;
      for (const way of ['key', 'method', 'zero', 'name', 'lines', 'file', 'load', 'connect', 'cause', 'template']) {
        const answer = await get(`${url}/${way}`).catch(() => null);
        if (answer !== null && answer.status >= 500)
          keep({ ...answer, name: `${name} ${way} ${mode}`, how: `${name} under puma, ${mode}, ${way}`, isError: true });
      }
    }
}
