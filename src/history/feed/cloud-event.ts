import type { PresentedEvent } from '../event.presenter.ts';

/** CloudEvents 1.0.2. Extensions are lower-case and hold simple values, as it demands. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
  readonly data: unknown;
  readonly position: string;
  readonly revision: number;
  readonly scope: string;
  readonly occurredat: string;
  readonly actor: string;
  readonly correlationid: string;
  readonly causationid?: string;
  readonly summary: string;
}

/** `baseUrl`: of the API, where the schema of the data is. */
export const cloudEventOf = (event: PresentedEvent, baseUrl: string): CloudEvent => ({
  specversion: '1.0',
  id: event.id,
  source: `${baseUrl}/events`,
  type: `watchledger.${event.type}.v${String(event.version)}`,
  subject: event.stream,
  time: event.recordedAt,
  datacontenttype: 'application/json',
  dataschema: `${baseUrl}/events/schemas/${event.type}/${String(event.version)}`,
  data: event.data,
  position: event.position,
  revision: event.revision,
  scope: event.scope,
  occurredat: event.occurredAt,
  actor: `${event.actor.kind} ${event.actor.id}`,
  correlationid: event.correlationId,
  ...(event.causationId === null ? {} : { causationid: event.causationId }),
  summary: event.summary,
});
