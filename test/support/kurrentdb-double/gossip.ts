import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';

/** What a client asks a cluster first: who leads. Here it is always the one node that answers. */
export const gossipHandlers = (port: () => number): IGossipServer => ({
  read: (_, answer) => {
    const place = new gossip.EndPoint().setAddress('127.0.0.1').setPort(port());
    const leader = new gossip.MemberInfo().setState(gossip.MemberInfo.VNodeState.LEADER).setIsAlive(true).setHttpEndPoint(place);
    answer(null, new gossip.ClusterInfo().setMembersList([leader]));
  },
});
