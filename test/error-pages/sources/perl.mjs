import { join } from 'node:path';
import { file, folder, freePort, get, has, serve } from '../software.mjs';

const BREAK = `
use strict; use warnings;
package Cart; sub new { bless {}, shift } sub total { my ($self, $rows) = @_; die "No price for item 17" unless $rows->[0]{price}; }
package main;
our %WAYS = (
  died => sub { Cart->new->total([{}]) },
  method => sub { Cart->new->missing },
  zero => sub { my $n = 0; 1 / $n },
  module => sub { require Missing::Module },
  undef => sub { my $x; $x->foo },
  lines => sub { die "first line\\nsecond <b>line</b>\\n" },
  object => sub { die { code => 500 } },
);
`;
const PSGI = `
my $app = sub { my $way = substr shift->{PATH_INFO}, 1; my $text = $way eq '' ? 'ok' : $WAYS{$way}->(); [200, ['Content-Type' => 'text/html'], [$text]] };
`;
const APPS = {
  'plack-stacktrace': [`${PSGI}use Plack::Middleware::StackTrace; Plack::Middleware::StackTrace->wrap($app);`, 'development'],
  'plack-httpexceptions': [`${PSGI}use Plack::Middleware::HTTPExceptions; Plack::Middleware::HTTPExceptions->wrap($app);`, 'deployment'],
  plack: [`${PSGI}$app;`, 'deployment'],
  'dancer2-debug': [
    `package Shop; use Dancer2; set show_errors => 1; set logger => 'null'; get '/' => sub { 'ok' }; get '/:way' => sub { $main::WAYS{route_parameters->get('way')}->() }; Shop->to_app;`,
    'deployment',
  ],
  dancer2: [
    `package Shop; use Dancer2; set show_errors => 0; set logger => 'null'; get '/' => sub { 'ok' }; get '/:way' => sub { $main::WAYS{route_parameters->get('way')}->() }; Shop->to_app;`,
    'deployment',
  ],
  'mojolicious-debug': [
    `use Mojolicious::Lite; app->log->level('fatal'); app->mode('development'); get '/' => { text => 'ok' }; get '/#way' => sub { my $c = shift; $c->render(text => $main::WAYS{$c->param('way')}->()) }; app->start('psgi');`,
    'deployment',
  ],
  mojolicious: [
    `use Mojolicious::Lite; app->log->level('fatal'); app->mode('production'); get '/' => { text => 'ok' }; get '/#way' => sub { my $c = shift; $c->render(text => $main::WAYS{$c->param('way')}->()) }; app->start('psgi');`,
    'deployment',
  ],
};

export async function collect(keep) {
  if (!has('plackup')) return;
  for (const [name, [code, mode]] of Object.entries(APPS)) {
    const root = folder();
    const port = await freePort();
    const app = file(join(root, 'app.psgi'), `${BREAK}\n${code}\n`);
    const url = await serve('plackup', ['-E', mode, '--host', '127.0.0.1', '--port', String(port), app], { port, cwd: root }).catch(
      (error) => {
        console.error(`  ${name}: ${error.message.slice(0, 300)}`);
        return null;
      },
    );
    if (url === null) continue;
    for (const way of ['died', 'method', 'zero', 'module', 'undef', 'lines', 'object']) {
      const answer = await get(`${url}/${way}`).catch(() => null);
      if (answer !== null && answer.status >= 500)
        keep({ ...answer, name: `${name} ${way}`, how: `${name} under plackup, ${way}`, isError: true });
    }
  }
}
