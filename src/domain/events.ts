import { type EntriesOf, upcastWith } from '../kernel/catalogue.ts';
import type { EventBody, LogEvent, StreamEvent } from '../kernel/event.ts';
import { type AccountEvents, accountEvents } from './account/account.events.ts';
import { type ProjectEvents, projectEvents } from './project/project.events.ts';
import { type SystemEvents, systemEvents } from './system/system.events.ts';

/** The catalogue: every event that the service ever writes, by type. */
export interface Events extends ProjectEvents, AccountEvents, SystemEvents {}

export type EventType = keyof Events;
export type DomainEvent = { [Type in EventType]: EventBody<Type, Events[Type]> }[EventType];
export type StreamEventOf<Type extends EventType> = StreamEvent<Type, Events[Type]>;
export type LogEventOf<Type extends EventType> = LogEvent<Type, Events[Type]>;

export const catalogue = { ...projectEvents, ...accountEvents, ...systemEvents } satisfies EntriesOf<Events>;

export const upcast = upcastWith(catalogue);

export const isKnown = (type: string): type is EventType => Object.hasOwn(catalogue, type);
