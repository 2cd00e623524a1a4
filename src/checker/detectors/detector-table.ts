/**
 * The place in which a signature counts.
 * `markup`: in the page's own markup, but not quoted in code, a form field, a comment or the value of an attribute.
 * `attribute`: in the value of an attribute.
 * `whole`: in the text of a short page with little else.
 * `script`: in a script.
 */
type Where = 'markup' | 'attribute' | 'whole' | 'script';

export interface Detector {
  /** The name used in sentences: "found an nginx error". */
  readonly name: string;
  readonly where: Where;
  /** A literal that is searched first, which rules out most pages. */
  readonly needle: string;
  /** Matched at the needle (`whole`: in the text); must be bounded. */
  readonly confirm?: RegExp;
  /** Means only that the page does not exist, which a check may expect. */
  readonly isNotFound?: true;
}

/**
 * Error pages that come with status 200 (docs/spec/decisions.md#T9). A row, and a sample of the same name in `test/error-pages/samples`.
 * One line per signature. Adjacent quantifiers must not match the same characters: pages may be hostile (ReDoS).
 */
// prettier-ignore
export const detectorTable = {
  'php-no-input': { name: 'a PHP that found no script', where: 'whole', needle: 'No input file specified.', confirm: /^No input file specified\.$/ },
  'php-fpm-not-found': { name: 'a PHP that found no script', where: 'whole', needle: 'File not found.', confirm: /^File not found\.$/, isNotFound: true },
  xdebug: { name: 'an Xdebug error', where: 'markup', needle: 'class=\'xdebug-error', confirm: /^class='xdebug-error[^>]{0,300}>/ },
  'sqlserver-oledb': { name: 'a SQL Server error', where: 'markup', needle: 'Microsoft OLE DB Provider for SQL Server', confirm: /^Microsoft OLE DB Provider for SQL Server\s*(?:<[^>]{0,60}>\s*){1,4}error '8/ },
  'wordpress-database': { name: 'a WordPress without database', where: 'markup', needle: '<h1>Error establishing a database connection</h1>' },
  'wordpress-critical': { name: 'a WordPress critical error', where: 'markup', needle: 'There has been a critical error on ', confirm: /^There has been a critical error on (?:this|your) website\.[^<]{0,200}<\/p>\s*<p><a href=\"https:\/\/wordpress\.org\// },
  'wordpress-maintenance': { name: 'a WordPress in maintenance', where: 'whole', needle: 'Briefly unavailable for scheduled maintenance.', confirm: /^Briefly unavailable for scheduled maintenance\. Check back in a minute\.$/ },
  drupal: { name: 'a Drupal error', where: 'whole', needle: 'The website encountered an unexpected error.', confirm: /^(?:Error )?The website encountered an unexpected error\. (?:Please try again later|Try again later)\./ },
  'drupal-offline': { name: 'a Drupal without database', where: 'whole', needle: 'The site is currently not available due to technical problems.', confirm: /The site is currently not available due to technical problems\. Please try again later\./ },
  joomla: { name: 'a Joomla error', where: 'whole', needle: 'Error displaying the error page', confirm: /^Error displaying the error page/ },
  magento: { name: 'a Magento error', where: 'whole', needle: 'There has been an error processing your request', confirm: /There has been an error processing your request .{0,200}(?:Error log record number|Exception printing is disabled)/ },
  'laravel-ignition': { name: 'a Laravel debug page', where: 'script', needle: 'window.ignite(', confirm: /^window\.ignite\(window\.data\)/ },
  whoops: { name: 'a Whoops debug page', where: 'markup', needle: 'class="Whoops container"', confirm: /^class="Whoops container"[^>]{0,100}>/ },
  'laravel-prod': { name: 'a Laravel error', where: 'markup', needle: 'Whoops, looks like something went wrong.', confirm: /^Whoops, looks like something went wrong\.\s*<\/(?:h1|title)>/ },
  'symfony-debug': { name: 'a Symfony debug page', where: 'markup', needle: 'class="exception-summary', confirm: /^class="exception-summary[^>]{0,100}>[\s\S]{0,1500}class="exception-(?:metadata|message)/ },
  'symfony-prod': { name: 'a Symfony error', where: 'markup', needle: '<h1>Oops! An Error Occurred</h1>', confirm: /^<h1>Oops! An Error Occurred<\/h1>\s*<h2>The server returned a "5/ },
  'tracy-bluescreen': { name: 'a Tracy debug page', where: 'markup', needle: 'id="tracy-bs"', confirm: /^id="tracy-bs"/ },
  'tracy-prod': { name: 'a Tracy error page', where: 'attribute', needle: 'tracy-error', confirm: /^tracy-error"?>\s*(?:<div[^>]{0,80}>\s*)?<h1>/ },
  'nette-prod': { name: 'a Nette error page', where: 'attribute', needle: 'server-error', confirm: /^server-error"?>\s*(?:<div[^>]{0,80}>\s*)?<h1>Server Error<\/h1>/ },
  yii: { name: 'a Yii debug page', where: 'markup', needle: '<title>', confirm: /^<title>[^<]{0,200}(?:\u2013|&ndash;|-) yii\\[a-z]/ },
  'codeigniter-database': { name: 'a CodeIgniter database error', where: 'markup', needle: '<h1>A Database Error Occurred</h1>' },
  'codeigniter-php': { name: 'a CodeIgniter PHP error', where: 'markup', needle: '<h4>A PHP Error was encountered</h4>' },
  slim: { name: 'a Slim error', where: 'markup', needle: '<h1>Slim Application Error</h1>' },
  'django-debug': { name: 'a Django debug page', where: 'markup', needle: 'seeing this error because you have <code>DEBUG = True</code>', confirm: /^seeing this error because you have <code>DEBUG = True<\/code> in your\s+Django settings file\.[^/]{0,60}(?:<\/code>[^<]{0,200})?<\/p>\s*<\/div>\s*(?:<\/(?:div|main)>\s*){0,2}<\/body>/ },
  'django-prod': { name: 'a Django error', where: 'markup', needle: '<h1>Server Error (500)</h1>' },
  werkzeug: { name: 'a Werkzeug debugger', where: 'markup', needle: '// Werkzeug Debugger', confirm: /^\/\/ Werkzeug Debugger\s*<\/title>/ },
  'flask-prod': { name: 'a Flask error', where: 'markup', needle: '<h1>Internal Server Error</h1>', confirm: /^<h1>Internal Server Error<\/h1>\s*<p>The server encountered an internal error (?:and|or) / },
  'python-cgitb': { name: 'a Python CGI error', where: 'markup', needle: 'A problem occurred in a Python script', confirm: /^A problem occurred in a Python script(?:\. {1,2}Here is the sequence|\.\s*(?:<|$))/ },
  'rails-debug': { name: 'a Rails debug page', where: 'markup', needle: '<title>Action Controller: Exception caught</title>' },
  'rails-prod': { name: 'a Rails error', where: 'markup', needle: '<title>We\'re sorry, but something went wrong (500)</title>' },
  passenger: { name: 'a Passenger that could not start', where: 'markup', needle: 'Web application could not be started', confirm: /^Web application could not be started(?: by the Phusion Passenger[^<]{0,60})?\s*<\// },
  rack: { name: 'a Rack debug page', where: 'markup', needle: 'seeing this error because you use <code>Rack::' },
  sinatra: { name: 'a Sinatra debug page', where: 'markup', needle: 'enabled the <code>show_exceptions</code> setting' },
  express: { name: 'an Express error', where: 'markup', needle: '<title>Error</title>', confirm: /^<title>Error<\/title>\s*<\/head>\s*<body>\s*<pre>(?:[A-Za-z]*Error\b|Internal Server Error)/ },
  next: { name: 'a Next.js error', where: 'markup', needle: 'class="next-error-h1"', confirm: /^class="next-error-h1"[^>]{0,200}>\s*5\d\d/ },
  tomcat: { name: 'a Tomcat error', where: 'markup', needle: '<h1>HTTP Status 5', confirm: /^<h1>HTTP Status 5\d\d (?:\u2013|-|&ndash;|&#8211;) / },
  spring: { name: 'a Spring error', where: 'markup', needle: '<h1>Whitelabel Error Page</h1>' },
  jetty: { name: 'a Jetty error', where: 'markup', needle: '<title>Error 5', confirm: /^<title>Error 5\d\d [^<]{0,200}<\/title>[\s\S]{0,800}<h2>HTTP ERROR 5/ },
  weblogic: { name: 'a WebLogic error', where: 'markup', needle: '<TITLE>Error 500--Internal Server Error</TITLE>' },
  coldfusion: { name: 'a ColdFusion error', where: 'markup', needle: '<title>Error Occurred While Processing Request</title>' },
  aspnet: { name: 'an ASP.NET error', where: 'markup', needle: 'Server Error in &#39;', confirm: /^Server Error in &#39;\/[^\n<]{0,200}&#39; Application/ },
  'aspnet-old': { name: 'an ASP.NET error', where: 'markup', needle: '<H1>Server Error in \'', confirm: /^<H1>Server Error in '\/[^\n<]{0,200}' Application/ },
  'aspnet-core': { name: 'an ASP.NET Core debug page', where: 'markup', needle: '<h1>An unhandled exception occurred while processing the request.</h1>' },
  'asp-classic': { name: 'a classic ASP error', where: 'markup', needle: 'Microsoft VBScript ', confirm: /^Microsoft VBScript (?:runtime|compilation) ?(?:<[^>]{0,60}>\s*){1,4}error '800a/ },
  'iis-detailed': { name: 'an IIS error', where: 'markup', needle: '<title>IIS ', confirm: /^<title>IIS \d+\.\d+ Detailed Error - 5/ },
  'iis-plain': { name: 'an IIS error', where: 'markup', needle: '<h2>500 - Internal server error.</h2>' },
  'iis-unavailable': { name: 'an IIS without application', where: 'markup', needle: 'HTTP Error 503. The service is unavailable.', confirm: /^HTTP Error 503\. The service is unavailable\.<\/p>\s*<\/body>/i },
  nginx: { name: 'an nginx error', where: 'markup', needle: '<center><h1>5', confirm: /^<center><h1>5\d\d [A-Za-z -]{3,60}<\/h1><\/center>\s*<hr><center>(?:nginx|openresty|tengine)/ },
  'nginx-50x': { name: 'an nginx error', where: 'whole', needle: 'An error occurred.', confirm: /^An error occurred\. Sorry, the page you are looking for is currently unavailable\./ },
  apache: { name: 'an Apache error', where: 'markup', needle: '<h1>', confirm: /^<h1>(?:Internal Server Error|Service (?:Temporarily )?Unavailable|Bad Gateway|Gateway Time-?out|Proxy Error)<\/h1>\s*<p>The (?:server encountered an internal error or|server is temporarily unable to service|proxy server received an invalid|gateway did not receive)/ },
  varnish: { name: 'a Varnish error', where: 'markup', needle: '<h3>Guru Meditation:</h3>' },
  cloudflare: { name: 'a Cloudflare error', where: 'markup', needle: 'id="cf-error-details"', confirm: /^id="cf-error-details"/ },
  cloudfront: { name: 'a CloudFront error', where: 'markup', needle: '<H2>The request could not be satisfied.</H2>' },
  haproxy: { name: 'a HAProxy error', where: 'whole', needle: 'No server is available to handle this request.', confirm: /^503 Service Unavailable No server is available to handle this request\.$/ },
  litespeed: { name: 'a LiteSpeed error', where: 'attribute', needle: 'line-height:150px; font-weight:bold;">5', confirm: /^line-height:150px; font-weight:bold;">5\d\d<\/h1>[\s\S]{0,2500}LiteSpeed Web Server/ },
  heroku: { name: 'a Heroku error', where: 'attribute', needle: 'herokucdn.com/error-pages/', confirm: /^herokucdn\.com\/error-pages\/[a-z-]{3,40}\.html/ },
  'google-traffic': { name: 'a block for unusual traffic', where: 'markup', needle: 'Our systems have detected unusual traffic from your computer network', confirm: /^Our systems have detected unusual traffic from your computer network\.[^<]{0,300}<[\s\S]{0,1500}(?:CAPTCHA|IP address: )/ },
  squid: { name: 'a Squid error', where: 'markup', needle: '<body id=', confirm: /^<body id="?ERR_[A-Z_]{3,40}"?>/ },
  tinyproxy: { name: 'a tinyproxy error', where: 'attribute', needle: 'https://tinyproxy.github.io/', confirm: /^https:\/\/tinyproxy\.github\.io\/">tinyproxy<\/a> version \d/ },
  starlette: { name: 'a Starlette debug page', where: 'markup', needle: 'class="traceback-container"' },
  cherrypy: { name: 'a CherryPy error', where: 'markup', needle: '<h2>5', confirm: /^<h2>5\d\d [A-Za-z ]{3,60}<\/h2>\s*<p>[\s\S]{0,1500}<pre id="traceback">/ },
  mojolicious: { name: 'a Mojolicious debug page', where: 'markup', needle: '<title>Server Error (development mode)</title>' },
  'plack-stacktrace': { name: 'a Plack debug page', where: 'markup', needle: '<title>Error: ', confirm: /^<title>Error: [^<]{1,600} at [^<\n]{1,300} line \d+\.?\s*<\/title><style type="text\/css">a\.toggle/ },
  twisted: { name: 'a Twisted error', where: 'markup', needle: '<title>', confirm: /^<title>(?:web\.Server Traceback \(most recent call last\)|Processing Failed)<\/title>/ },
  wsgiref: { name: 'a Python server error', where: 'whole', needle: 'A server error occurred.', confirm: /^A server error occurred\. {1,2}Please contact the administrator\.$/ },
  puma: { name: 'a Puma error', where: 'whole', needle: 'An unhandled lowlevel error', confirm: /^(?:Puma caught this error: |An unhandled lowlevel error occurred\.)/ },
  webpy: { name: 'a web.py debug page', where: 'markup', needle: '<ul class="traceback">', confirm: /^<ul class="traceback">\s*<li class="frame">/ },
  paste: { name: 'a Paste debug page', where: 'markup', needle: '<span class="module" title="', confirm: /^<span class="module" title="[^"]{1,300}">[^<]{1,200}<\/span>:<b>\d+<\/b> in <code>/ },
  youch: { name: 'a Youch debug page', where: 'markup', needle: '<h4 id="error-name">' },
  'http-proxy': { name: 'a proxy without a server behind it', where: 'whole', needle: 'Error occurred while trying to proxy', confirm: /^Error occurred while trying to proxy/ },
  'perl-cgi': { name: 'a Perl CGI error', where: 'markup', needle: '<h1>Software error:</h1>' },
} satisfies Record<string, Detector>;
