import { arrives, internal, missing, nearest, type SettingRow, type SettingRows } from '../setting-rows.ts';

const OTHER_PROTOCOL = 'checks are made over http and https';
const NO_TOKEN_SERVICE = 'a check does not ask a token service; use a journey that signs in first';
const NO_CLIENT_CERTIFICATE = 'a check has no client certificate';
const KEPT_ANYWAY = 'what a failing check received is kept anyway';

/** Columns of the table `monitor` that the requests of other protocols have. */
const otherProtocols: Readonly<Record<string, readonly string[]>> = {
  'ping, port and dns': [
    ...['hostname', 'port', 'packet_size', 'ping_count', 'ping_numeric', 'ping_per_request_timeout'],
    ...['dns_resolve_type', 'dns_resolve_server', 'dns_last_result'],
  ],
  docker: ['docker_host', 'docker_container'],
  push: ['push_token', 'manual_status'],
  mqtt: ['mqtt_topic', 'mqtt_success_message', 'mqtt_username', 'mqtt_password', 'mqtt_check_type', 'mqtt_websocket_path'],
  databases: ['database_connection_string', 'database_query'],
  grpc: ['grpc_url', 'grpc_protobuf', 'grpc_body', 'grpc_metadata', 'grpc_method', 'grpc_service_name', 'grpc_enable_tls'],
  radius: ['radius_username', 'radius_password', 'radius_calling_station_id', 'radius_called_station_id', 'radius_secret'],
  kafka: ['topic', 'brokers', 'sasl_options', 'message', 'ssl', 'allow_auto_topic_creation'].map((name) => `kafka_producer_${name}`),
  rabbitmq: ['rabbitmq_nodes', 'rabbitmq_username', 'rabbitmq_password'],
  games: ['game', 'gamedig_given_port_only', 'gamedig_token'],
  snmp: ['snmp_oid', 'snmp_version', 'snmp_v3_username'],
  ntp: ['ntp_stratum_threshold', 'ntp_time_offset_threshold', 'ntp_root_dispersion_threshold'],
  'smtp and websocket': ['smtp_security', 'ws_ignore_sec_websocket_accept_header', 'ws_subprotocol', 'expected_tls_alert'],
  'programs and other probes': ['system_service_name', 'subtype', 'location', 'protocol', 'conditions'],
};

/** Set in every monitor, whatever its type. */
export const columnsOfOtherTypes: ReadonlySet<string> = new Set(Object.values(otherProtocols).flat());

const others = Object.fromEntries(
  Object.entries(otherProtocols).flatMap(([types, columns]) =>
    columns.map((column): [string, SettingRow] => [`monitor.${column}`, missing(`${types}: ${OTHER_PROTOCOL}`)]),
  ),
);

const REPEATED = 'days of the window, which repeats daily, weekly or monthly';
const ONLY_IN_KUMA = 'how Kuma itself shows the page';

const settingsOfMaintenance: SettingRows = {
  monitor_maintenance: nearest('`maintenance` of the site whose monitors all have it; a window is of a whole site'),
  'maintenance.title': arrives('the note of the window'),
  'maintenance.description': arrives('the note of the window'),
  'maintenance.strategy': nearest('one window, or one that repeats; maintenance that is switched by hand has no equal'),
  'maintenance.active': nearest('what is switched off is left out'),
  'maintenance.start_date': arrives('the begin, or the first day of one that repeats'),
  'maintenance.end_date': nearest('the end; one that repeats until then becomes its windows, at most 50'),
  'maintenance.start_time': arrives('the begin'),
  'maintenance.end_time': arrives('the end'),
  'maintenance.weekdays': arrives(REPEATED),
  'maintenance.days_of_month': nearest(`${REPEATED}; the last day of a month that is shorter`),
  'maintenance.interval_day': nearest('every day and every seven days; other intervals have no equal'),
  'maintenance.cron': nearest('times on every day, on days of the week or on days of the month; other patterns have no equal'),
  'maintenance.duration': arrives('the end, of a cron pattern'),
  'maintenance.timezone': nearest('the offset of the window; it does not change when summer time begins and ends'),
  'maintenance.last_start_date': internal('the day from which seven days are counted'),
  'maintenance.user_id': internal('the account that imports owns the sites'),
  maintenance_status_page: internal('a page shows the windows of what it shows'),
};

const settingsOfPages: SettingRows = {
  'status_page.slug': arrives('the slug of the status page, by which a second import finds it'),
  'status_page.title': arrives('the title'),
  'status_page.description': nearest('the words below the state, as plain text of at most 1,000 characters'),
  'status_page.footer_text': nearest('the words at the end, as plain text of at most 1,000 characters'),
  'status_page.published': arrives('access for members where it is not', 1),
  'group (groups of a page)': arrives('the groups'),
  'monitor_group (their monitors)': nearest('an item of each check that is imported, once; a group that is one group here is one item'),
  'status_page.password': internal('Kuma does not ask for it'),
  'status_page.icon': missing('a page has no picture of its own', '/icon.svg'),
  'status_page.custom_css': missing('a page has colours, and no style of its own'),
  'status_page.show_tags': missing('a page does not show tags'),
  'status_page.show_certificate_expiry': missing('a page does not show certificates'),
  ...Object.fromEntries(
    ['google_analytics_tag_id', 'analytics_id', 'analytics_script_url', 'analytics_type'].map((name) => [
      `status_page.${name}`,
      missing('a page loads no script of others'),
    ]),
  ),
  ...Object.fromEntries(
    ['id', 'theme', 'search_engine_index', 'show_powered_by', 'auto_refresh_interval', 'show_only_last_heartbeat', 'rss_title'].map(
      (name) => [`status_page.${name}`, internal(ONLY_IN_KUMA)],
    ),
  ),
  ...Object.fromEntries(['created_date', 'modified_date'].map((name) => [`status_page.${name}`, internal('the page is created now')])),
  status_page_cname: missing('give the page its host names once it is there'),
  incident: missing('post it on the page once it is there'),
};

export const uptimeKumaSettings: SettingRows = {
  'monitor.id': arrives('the key of the check, by which a second import finds it'),
  'monitor.type': nearest('checks of `http`, `keyword`, `json-query` and, without a browser, `real-browser`; `group` is a group'),
  'monitor.name': arrives('the name of the check'),
  'monitor.description': arrives('the note of the check'),
  'monitor.parent': arrives('the group of the check, named by its path'),
  'monitor.active': arrives('`enabled` of the check; that of its groups counts too'),
  'monitor.url': arrives('the address of the check; addresses of one host become one site'),
  'monitor.method': arrives('`options.method`', 'GET'),
  'monitor.body': arrives('`options.body`, as a secret'),
  'monitor.http_body_encoding': arrives('`options.contentType`', 'json'),
  'monitor.headers': arrives('`options.w`, as secrets'),
  'monitor.interval': nearest('`uptimeEnabled` of the site for its most frequent monitor, and the period of the check'),
  'monitor.timeout': nearest('`timeout` of the site, 1 to 60 seconds for all of its checks'),
  'monitor.maxretries': nearest('one more run confirms each failure', 0, 1),
  'monitor.retry_interval': internal('the confirming run follows after 10 to 30 seconds'),
  'monitor.resend_interval': missing('a failure is notified once'),
  'monitor.retry_only_on_status_code_failure': missing('every failure is confirmed by one more run'),
  'monitor.accepted_statuscodes_json': arrives('rules on the status'),
  'monitor.maxredirects': arrives('`options.l` for 0, else a rule on the redirects; a check follows 10 of them', 10),
  'monitor.keyword': arrives('a rule on the HTML'),
  'monitor.invert_keyword': arrives('a rule that the keyword is not there'),
  'monitor.json_path': nearest('a rule on the JSON value, for paths of names and indexes; JSONata has more'),
  'monitor.json_path_operator': arrives('the operator of the rule', '=='),
  'monitor.expected_value': arrives('the value of the rule'),
  'monitor.auth_method': nearest('`basic` signs in its group, `bearer` is a header; `oauth2-cc`, `ntlm` and `mtls` have no equal'),
  'monitor.basic_auth_user': arrives('`httpAuth.user` of the group'),
  'monitor.basic_auth_pass': arrives('`httpAuth.password` of the group, as a secret'),
  'monitor.bearer_token': arrives('a header of the check, as a secret'),
  'monitor.auth_domain': missing('a check does not sign in with NTLM'),
  'monitor.auth_workstation': missing('a check does not sign in with NTLM'),
  ...Object.fromEntries(
    ['client_id', 'client_secret', 'token_url', 'scopes', 'auth_method', 'audience'].map((name) => [
      `monitor.oauth_${name}`,
      missing(NO_TOKEN_SERVICE),
    ]),
  ),
  ...Object.fromEntries(['tls_ca', 'tls_cert', 'tls_key'].map((name) => [`monitor.${name}`, missing(NO_CLIENT_CERTIFICATE)])),
  'monitor.ignore_tls': missing('a check fails on a certificate that is not valid'),
  'monitor.expiry_notification': arrives('`sslAlertPeriod` of the site: the first of the days at which it warns'),
  'monitor.domain_expiry_notification': missing('a check does not ask when a domain expires'),
  'monitor.upside_down': missing('it is up while its address is down (upside down)'),
  'monitor.ip_family': nearest('`options.6` for IPv6 only; a check cannot be IPv4 only'),
  'monitor.cache_bust': missing('a check asks for its address as it is'),
  'monitor.proxy_id': missing('a check uses no proxy'),
  'monitor.remote_browser': missing('a check does not run a browser'),
  'monitor.screenshot_delay': missing('a check does not run a browser'),
  'monitor.save_response': internal(KEPT_ANYWAY),
  'monitor.save_error_response': internal(KEPT_ANYWAY),
  'monitor.response_max_length': internal(KEPT_ANYWAY),
  'monitor.user_id': internal('the account that imports owns the sites'),
  'monitor.weight': internal('the order in the list of Kuma'),
  'monitor.created_date': internal('the site is created now'),
  ...others,
  'monitor_tag (tags)': nearest('`tags` of the site, as `name=value`'),
  'monitor_notification (notifications)': missing('each account chooses its channels and severity for itself'),
  ...settingsOfMaintenance,
  ...settingsOfPages,
  'setting (tlsExpiryNotifyDays)': arrives('`sslAlertPeriod` of sites whose monitors notify before a certificate expires'),
  'user, api_key (accounts)': missing('people sign in with accounts of their own'),
  'heartbeat, stat_minutely, stat_hourly, stat_daily (history)': nearest(
    'how often the uptime probe of a site was up on each day, marked as imported',
  ),
};

const TYPES_WITHOUT_EQUAL: Readonly<Record<string, string>> = {
  push: 'push: the service measures for itself and takes no results of others',
  manual: 'manual: the service measures for itself and takes no results of others',
};

export const reasonForType = (type: string): string => TYPES_WITHOUT_EQUAL[type] ?? `${type}: ${OTHER_PROTOCOL}`;

/** Ways to sign in that a check does not have. */
export const REASONS_FOR_SIGN_IN: Readonly<Record<string, string>> = {
  'oauth2-cc': NO_TOKEN_SERVICE,
  ntlm: 'a check does not sign in with NTLM',
  mtls: NO_CLIENT_CERTIFICATE,
};
