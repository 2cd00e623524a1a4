export interface MessageKind {
  /** The name used in sentences: "found a PHP warning". */
  readonly name: string;
  /** A literal in the page that rules out most; without quotes and brackets, which pages spell in many ways. */
  readonly needles: readonly string[];
  /** Matched in a line of text; must be bounded. */
  readonly message: RegExp;
}

/** Messages that programs print into pages, as they are worded today. One line per server and reason. */
// prettier-ignore
export const messageTable = {
  'mysql-syntax': { name: 'a MySQL syntax error', needles: ['SQL syntax'], message: /You have an error in your SQL syntax; check the manual that corresponds to your (?:MySQL|MariaDB|Percona)/ },
  'mysql-access': { name: 'a refused MySQL sign-in', needles: ['Access denied for user'], message: /Access denied for user ['`"]?[^\s]{0,80}['`"]?@/ },
  'mysql-gone': { name: 'a lost MySQL connection', needles: ['SQL server has gone away', 'Lost connection to '], message: /MySQL server has gone away(?:\s|$|\.)|Lost connection to (?:MySQL|MariaDB|server|backend)/ },
  'mysql-crashed': { name: 'a crashed MySQL table', needles: ['marked as crashed'], message: /(?:Table )?'[^']{1,150}' is marked as crashed and (?:should be repaired|last \(automatic\?\) repair failed)/ },
  'mysql-connect': { name: 'a MySQL that cannot be reached', needles: ['t connect to '], message: /Can't connect to (?:local )?(?:MySQL |MariaDB )?server (?:through socket|on) '/ },
  'mysql-connections': { name: 'a MySQL with too many connections', needles: ['_user_connections', 'Too many connections'], message: /User \S{1,100} (?:already has|has already|has exceeded).{0,20} 'max_user_connections'? (?:active connections|resource)|(?:^|\[1040\]|1040:?|connect\(\)|error:) ?(?:\(08004\/1040\): |\[08004\] )?Too many connections$/i },
  'mysql-table': { name: 'a missing MySQL table', needles: ['t exist', 'Unknown database', 'Unknown table'], message: /Table '[^']{1,150}' doesn't exist|Unknown (?:database|table) '[^']{1,150}'/ },
  'mysql-column': { name: 'a MySQL column error', needles: ['Unknown column', 'cannot be null', 'Data too long', 'Incorrect ', 'have a default'], message: /Unknown column '[^']{1,150}' in '?[a-z ]{2,40}|Column '[^']{1,150}' cannot be null|Data too long for column '|Incorrect (?:integer|decimal|date|datetime|string|double) value: '|Field '[^']{1,150}' doesn't have a default value/i },
  'mysql-key': { name: 'a MySQL key error', needles: ['Duplicate entry', 'foreign key constraint fails', 'Lock wait timeout', 'Deadlock found'], message: /Duplicate entry '.{0,300}' for key '|a foreign key constraint fails|Lock wait timeout exceeded; try restarting|Deadlock found when trying to get lock/ },
  'mysql-function': { name: 'a missing MySQL function', needles: ['FUNCTION '], message: /FUNCTION \S{1,150} does not exist/ },
  sqlstate: { name: 'a database error (SQLSTATE)', needles: ['SQLSTATE['], message: /SQLSTATE\[[0-9A-Z]{5}\]/ },
  'postgres-query': { name: 'a PostgreSQL error', needles: ['ERROR: '], message: /ERROR: {1,2}(?:syntax error at or near|(?:relation|column|function|table|operator|schema|type|role|database|constraint|sequence|view) .{1,200} does not exist|duplicate key value|insert or update on table|update or delete on table|null value in column|value too long for type|permission denied for|invalid input syntax|invalid byte sequence|current transaction is aborted|canceling statement|unterminated quoted|division by zero|deadlock detected|numeric field overflow|cannot execute|could not)/ },
  'postgres-connect': { name: 'a PostgreSQL that cannot be reached', needles: ['could not connect to server', 'connection to server '], message: /could not connect to server: |connection to server (?:at|on) .{1,200} failed: / },
  'postgres-fatal': { name: 'a PostgreSQL that refuses', needles: ['FATAL: '], message: /FATAL: {1,2}(?:password authentication failed|no pg_hba\.conf entry|sorry, too many clients|remaining connection slots|(?:database|role) .{1,150} does not exist|the database system is|Peer authentication failed)/ },
  sqlite: { name: 'an SQLite error', needles: ['no such ', 'constraint failed', ': syntax error', 'unrecognized token', 'unable to open database', 'database is locked', 'disk image is malformed'], message: /(?:SQLITE_\w{3,20}: )?no such (?:table|column|function): [\w.]{1,150}|(?:UNIQUE|NOT NULL|FOREIGN KEY|CHECK) constraint failed|near ".{0,150}": syntax error|unrecognized token: "|unable to open database file|database is locked$|database disk image is malformed/ },
  'sqlserver-odbc': { name: 'a SQL Server error', needles: ['[SQL Server]'], message: /(?:\[[\w .-]{1,60}\]){1,3}\[SQL Server\]\S/ },
  'sqlserver-query': { name: 'a SQL Server error', needles: ['Invalid object name', 'Invalid column name', 'Incorrect syntax near', 'Unclosed quotation mark', 'KEY constraint', 'Cannot insert the value NULL', 'Login failed for user', 'Conversion failed when converting', 'statement conflicted with'], message: /Invalid (?:object|column) name '|Incorrect syntax near |Unclosed quotation mark (?:after|before) the character string|Violation of (?:PRIMARY|UNIQUE) KEY constraint|Cannot insert the value NULL into column|Login failed for user '|Conversion failed when converting|statement conflicted with the / },
  oracle: { name: 'an Oracle error', needles: ['ORA-'], message: /ORA-\d{5}: \S/ },
  mongodb: { name: 'a MongoDB error', needles: ['E11000 duplicate key', 'Mongo'], message: /E11000 duplicate key error|Mongo(?:Server|Network|ServerSelection)Error: |MongoDB\\Driver\\Exception\\/ },
  refused: { name: 'a service behind the site that cannot be reached', needles: ['ECONNREFUSED', 'Communications link failure'], message: /(?:connect )?ECONNREFUSED \S{1,100}:\d+|Communications link failure/ },
  typo3: { name: 'a TYPO3 error', needles: ['Oops, an error occurred!'], message: /Oops, an error occurred!(?: Code: \d{8}[0-9a-f]{4,16}|$)/ },
} satisfies Record<string, MessageKind>;
