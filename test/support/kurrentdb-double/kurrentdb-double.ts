import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { DoubleLog, type DoubleRecord } from './double-log.ts';
import { noFaults, type Faults } from './faults.ts';
import { gossipHandlers } from './gossip.ts';
import { Line } from './faulty-connection.ts';
import { StreamsService } from './streams-service.ts';

/** A server that speaks the real protocol on loopback, keeps its events in memory, and fails on demand. */
export class KurrentDbDouble {
  readonly faults: Faults = noFaults();
  private log = new DoubleLog();
  private server: Server | undefined;
  private port = 0;
  private readonly line = new Line(() => ({ host: '127.0.0.1', port: this.port }));
  private readonly service = new StreamsService(() => this.log, this.faults);

  static async start(): Promise<KurrentDbDouble> {
    const double = new KurrentDbDouble();
    await double.listen();
    await double.line.open();
    return double;
  }

  get url(): string {
    return `esdb://127.0.0.1:${String(this.line.port)}?tls=false`;
  }

  /** The address of a cluster: the client discovers the leader first, with a short timeout. */
  get clusterUrl(): string {
    return `esdb+discover://127.0.0.1:${String(this.line.port)}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`;
  }

  get subscriptions(): StreamsService['subscriptions'] {
    return this.service.subscriptions;
  }

  get batchAppends(): number {
    return this.service.batchAppends;
  }

  /** The events that are not the server's own, in order. */
  get events(): readonly DoubleRecord[] {
    return this.log.records.filter((record) => !record.type.startsWith('$'));
  }

  appendSystemEvents(count: number): void {
    this.log.appendSystemEvents(count);
  }

  /** An event of another application on the same server. */
  appendForeignEvent(stream: string, type = 'OrderPlaced'): void {
    const data = Buffer.from('{"order":1}');
    const event = { id: crypto.randomUUID(), type, contentType: 'application/json', data, metadata: Buffer.from('{"$correlationId":"x"}') };
    this.log.append(stream, this.log.stream(stream).length - 1, [event]);
  }

  dropConnections(): void {
    this.line.cut();
  }

  /** Connections stay open, nothing is answered: a process that was stopped with SIGSTOP. */
  stall(): void {
    this.line.stall();
  }

  resume(): void {
    this.line.resume();
  }

  /** Stops as by SIGKILL; acknowledged events are kept. */
  async kill(): Promise<void> {
    await this.line.close();
    this.server?.forceShutdown();
    this.server = undefined;
  }

  async revive(): Promise<void> {
    await this.listen();
    await this.line.open();
  }

  async restart({ keepState }: { keepState: boolean }): Promise<void> {
    await this.kill();
    if (!keepState) this.log = new DoubleLog(7n);
    await this.revive();
  }

  async stop(): Promise<void> {
    await this.kill();
  }

  private async listen(): Promise<void> {
    const server = new Server({ 'grpc.max_receive_message_length': 4 * 1024 * 1024 });
    server.addService(streams.StreamsService, this.service.handlers());
    server.addService(features.ServerFeaturesService, featureHandlers);
    server.addService(
      gossip.GossipService,
      gossipHandlers(() => this.line.port),
    );
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error) reject(error);
        else resolve(port);
      });
    });
    this.server = server;
  }
}

/** The client takes batch appends where the server offers them: a double that hid them would hide that mistake too. */
const featureHandlers: IServerFeaturesServer = {
  getSupportedMethods: (_, answer) => {
    const batch = new featureMessages.SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName('batchappend');
    answer(null, new featureMessages.SupportedMethods().setEventStoreServerVersion('24.2.0').setMethodsList([batch]));
  },
};
