import { type ErrorRow, errorTable } from '../errors/error-table.ts';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The error table for readers: as the page `/docs/errors` of the service, and as docs/errors.md. */
const rows: readonly (readonly [string, ErrorRow])[] = Object.entries(errorTable).toSorted(([one], [other]) => (one < other ? -1 : 1));

const HEAD = `<!-- Made by \`npm run docs:errors\` from src/platform/http/errors/error-table.ts. A test holds it against the table; do not edit it here. -->

# Errors

Every error body has \`message\`, \`code\` (the status), \`ok\`, \`error\`, and for programs \`errorCode\` (stable), \`docs\` and \`requestId\`. \`param\` names
the field, query parameter or header that is wrong, \`allowed\` the list or range that is accepted, and \`errors\` lists every problem of invalid
input, at most 20. Errors whose body is \`message\` alone, as the interface fixes it, have their code in the header \`Watchledger-Error-Code\`, which
every error has, beside \`X-Request-Id\`. \`docs\` leads to \`/docs/errors\` of the running service, which shows this table.
`;

export const errorsMarkdown = (): string =>
  `${HEAD}\n${rows.map(([code, row]) => `## ${code}\n\nStatus ${String(row.status)}${notesOf(row)}. ${row.about}\n`).join('\n')}`;

const notesOf = ({ bare, retryAfter }: ErrorRow): string =>
  `${bare === true ? ', the body is `message` alone' : ''}${retryAfter === undefined ? '' : `, \`Retry-After: ${String(retryAfter)}\``}`;

const asHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');

const asSection = ([code, row]: readonly [string, ErrorRow]): string =>
  `    <h2 id="${code}">${code}</h2>\n    <p>Status ${String(row.status)}${asHtml(notesOf(row))}. ${asHtml(row.about)}</p>`;

export const errorsHtml = (): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Errors of the Watchledger API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <h1>Errors</h1>
${rows.map(asSection).join('\n')}
  </body>
</html>
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Watchledger API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;
/** Hides the column of links, which is always empty: narrow screens need the space. */
const STYLE = `body { margin: 0; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui table { table-layout: fixed; }
.swagger-ui .response-col_status { width: 6em; }
`;
/** Opens with the headings only, because there are about a hundred operations. */
const START = `const dark = window.matchMedia?.('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark?.matches === true);
dark?.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Lets the browser refuse requests to any other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

interface Asset {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: () => Promise<Buffer | string>;
}

/** The files of the page by name; it loads nothing from other hosts. */
export const docsAssets: Readonly<Record<string, Asset>> = {
  '': { type: 'text/html; charset=utf-8', headers: { 'content-security-policy': POLICY }, body: () => Promise.resolve(PAGE) },
  errors: {
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': POLICY },
    body: () => Promise.resolve(errorsHtml()),
  },
  'start.js': { type: 'text/javascript; charset=utf-8', body: () => Promise.resolve(START) },
  'page.css': { type: 'text/css; charset=utf-8', body: () => Promise.resolve(STYLE) },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', body: () => fromPackage('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', body: () => fromPackage('swagger-ui-bundle.js') },
};

const fromPackage = (name: string): Promise<Buffer> =>
  readFile(join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), name));
