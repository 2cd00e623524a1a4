import type { AppendReq, AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { DoubleRecord, Proposed, Written } from './double-log.ts';

const TICKS_PER_MILLISECOND = 10_000n;

/** The messages of the protocol, made with the definitions that the client package ships. */
export function proposed(message: AppendReq.ProposedMessage): Proposed {
  return {
    id: message.getId()?.getString() ?? '',
    type: message.getMetadataMap().get('type') ?? '',
    contentType: message.getMetadataMap().get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function appended(written: Written, expected: number): AppendResp {
  const response = new streams.AppendResp();
  if (written.kind === 'written') {
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(written.position)).setPreparePosition(String(written.position));
    return response.setSuccess(new streams.AppendResp.Success().setCurrentRevision(String(written.revision)).setPosition(position));
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (written.current < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(written.current));
  if (expected < 0) wrong.setExpectedNoStream(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return response.setWrongExpectedVersion(wrong);
}

export function recorded(record: DoubleRecord): ReadResp {
  const position = String(record.position);
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  event.setId(new shared.UUID().setString(record.id));
  event.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(record.stream)));
  event.setStreamRevision(String(record.revision)).setCommitPosition(position).setPreparePosition(position);
  event.setData(record.data).setCustomMetadata(record.metadata);
  event.getMetadataMap().set('type', record.type);
  event.getMetadataMap().set('content-type', record.contentType);
  event.getMetadataMap().set('created', String(BigInt(record.created) * TICKS_PER_MILLISECOND));
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(event).setCommitPosition(position));
}

export function streamNotFound(name: string): ReadResp {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name));
  return new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier));
}

export const confirmation = (id: string): ReadResp =>
  new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id));

export function checkpoint(position: bigint): ReadResp {
  const place = new streams.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position));
  return new streams.ReadResp().setCheckpoint(place);
}

export const caughtUp = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
