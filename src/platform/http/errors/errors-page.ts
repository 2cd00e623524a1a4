import { type ErrorRow, errorTable } from './error-table.ts';

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
