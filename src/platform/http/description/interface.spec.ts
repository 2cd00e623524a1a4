import { describe, expect, it } from '@jest/globals';
import { operationTable } from '../../../app/operation-table.ts';
import { describeApi } from '../../../app/open-api.ts';
import type { Schema } from './schema.ts';

const schemaTable = describeApi('1').components.schemas;

/**
 * The resources of docs/spec/interface.md, written once more, so that the description is checked against a second source. `?`: may be null; a
 * second word: may be missing.
 */
const resources: Readonly<Record<string, string>> = {
  Project:
    'id:string title:string url:string period:string uptimeUrl:string uptimeEnabled:string apiKey:string payerId:integer location:string ' +
    'checkDefaultErrors:boolean created:string userAgent:string timeout:integer delay:integer userIds:array status:string? sslStatus:string ' +
    'sslExpiration:string? sslDaysLeft:integer,missing sslAlertPeriod:integer httpsRedirectEnabled:boolean httpsRedirectStatus:string? ' +
    'httpsRedirectFinalUrl:string? httpsRedirectCheckedAt:string? webPushEnabled:boolean securityMonitoringEnabled:boolean isWordPress:boolean? name:string tags:array',
  ProjectInFull: 'id:string title:string permissions:object',
  Permissions: 'read:boolean run:boolean editTest:boolean edit:boolean manageUsers:boolean apiKey:boolean leave:boolean',
  Role: 'id:string users_id:string? name:string permissions:array systemRole:boolean permissionsSwitches:object',
  ProjectUser:
    'id:string phone:string? confirmed:boolean confirmTokenExpiration:object timezone:string reportPeriod:string notificationEmail:string? ' +
    'notificationDelay:integer apiKey:string role:object isPayer:boolean canBeRemoved:boolean',
  Test:
    'id:string enabled:boolean areaId:string name:string url:string notice:string type:string run:string flags:array status:object ' +
    'templateId:string templateVars:array options:object',
  TestStatus: 'status:string failures:array rules:array response:object',
  Rule: 'type:string op:string val:string origin:string templateId:string order:integer',
  Response:
    'status:string httpStatus:string baseUrl:string contentType:string httpHeader:string processTime:number redirects:array timing:array',
  Area:
    'id:string projectId:string name:string public:boolean rules:array form:object httpAuth:object period:string result:object,missing ' +
    'options:object nextRun:integer periodInt:integer',
  Form:
    'identifier:string enabled:boolean method:string action:string originalAction:string relativeAction:string baseUrl:string params:string ' +
    'html:string checksum:string',
  JobStarted: 'projectId:string jobId:string start:string results:string',
  JobResults:
    'jobId:string total:integer failed:integer processed:boolean persist:boolean startedAt:integer duration:number mode:number areas:array results:array',
  RunResult: 'testId:string testName:string',
  StatusSummary: 'project:object total:integer failed:integer now:integer tests:array',
  SimpleStatus: 'tests:array total:integer failed:integer',
  ResponseTime:
    'responseDate:string dnsLookupTime:number initialConnectionTime:number sslTime:number requestTime:number waitingTime:number ' +
    'contentDownloadTime:number totalResponseTime:number',
  UptimeReport: 'from:string to:string daysCount:integer isUptimeEnabled:boolean uptime:object uptimeByDays:array',
  UptimeDay: 'date:string up:number down:number timeout:integer',
  NotificationSettings: 'severity:integer email:boolean pagerduty:boolean pushover:boolean pushbullet:boolean slack:boolean',
  TestDeleted: 'message:string success:boolean error:boolean',
  Error: 'message:string code:integer ok:boolean error:boolean',
  StartError: 'message:string success:boolean ok:boolean error:boolean',
};

/** The words that a field may have. */
const words: Readonly<Record<string, readonly string[]>> = {
  'Project.period': ['5 minutes', '30 minutes', '1 hour', '8 hours', '1 day', '7 days', 'false'],
  'Project.uptimeEnabled': ['15', '30', '60', 'false'],
  'Project.location': ['eu', 'de', 'gb', 'ca', 'us', 'tx', 'dc', 'sg', 'hk'],
  'Project.sslStatus': ['ok', 'soon', 'expired', 'nossl', 'noinfo'],
  'Project.httpsRedirectStatus': ['ok', 'failed', 'unreachable'],
  'Test.type': ['homepage', 'simple', 'favicon', 'robots'],
  'Test.run': ['completed', 'running'],
  'Form.method': ['GET', 'POST'],
  'JobStarted.start': ['ok'],
};

/** The operations of the interface. */
const operations = [
  'POST /authenticate',
  ...[
    'POST /project/create',
    'GET /project/create',
    'GET /project/:id',
    'PUT /project/:id',
    'GET /project/:id/users',
    'POST /project/:id/users',
  ],
  ...['DELETE /project/:id/users', 'GET /project/:id/roles', 'GET /project/:id/permissions', 'GET /project/:id/status'],
  ...['GET /project/:id/simple-status', 'GET /project/:id/areas', 'GET /project/:id/responseTimes', 'GET /project/:id/uptime'],
  ...['GET /project/:id/job/:jobId/results', 'GET /project/:id/start/area/:areaId', 'POST /project/:id/notifications'],
  ...['GET /test/:id', 'PUT /test/:id', 'DELETE /test/:id'],
];

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(schemaTable[schema.$ref.split('/').at(-1) ?? ''] ?? {});

/** Every type that a value may have. */
function typesOf(schema: Schema): readonly string[] {
  const { type, anyOf } = resolved(schema);
  return [...new Set([...(typeof type === 'string' ? [type] : (type ?? [])), ...(anyOf ?? []).flatMap(typesOf)])].toSorted();
}

function wordsOf(schema: Schema): readonly unknown[] {
  const found = resolved(schema);
  return [...(found.enum ?? []), ...(found.anyOf ?? []).flatMap(wordsOf)];
}

describe('the contract of the interface', () => {
  it.each(Object.entries(resources))('describes the fields of %s', (name, fields) => {
    const { properties = {}, required = [] } = schemaTable[name] ?? {};
    for (const field of fields.split(' ')) {
      const [word = '', kind = '', missing] = field.split(/[:,]/);
      const type = kind.replace('?', '');
      const wanted = kind.endsWith('?') ? [type, 'null'].toSorted() : [type];
      expect([word, typesOf(properties[word] ?? {}), required.includes(word)]).toEqual([word, wanted, missing === undefined]);
    }
  });

  it.each(Object.entries(words))('describes the words of %s', (place, wanted) => {
    const [name = '', field = ''] = place.split('.');
    expect(wordsOf(schemaTable[name]?.properties?.[field] ?? {}).toSorted()).toEqual(wanted.toSorted());
  });

  it('has an operation for each of its endpoints', () => {
    expect(operations.filter((operation) => operationTable[operation] === undefined)).toEqual([]);
  });

  it('refuses a creation with statuses of its own and only a message', () => {
    for (const status of [402, 410, 432, 433, 434])
      expect(operationTable['POST /project/create']?.refusals?.[status]?.schema).toBe('Message');
    expect(operationTable['GET /project/:id/responseTimes']?.refusals?.[405]?.schema).toBe('StartError');
  });
});
