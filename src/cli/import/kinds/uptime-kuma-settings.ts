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
  'monitor_maintenance (maintenance)': missing('maintenance is not imported; announce it in the console'),
  'status_page (status pages)': missing('its items are addresses, here they are sites; write a status page beside the site files'),
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
