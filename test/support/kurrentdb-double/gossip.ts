import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';

/** The gossip API, by which a client of a cluster finds the leader: always this node. */
export const gossipHandlers = (port: () => number): IGossipServer => ({
  read: (_, answer) => {
    const place = new gossip.EndPoint().setAddress('127.0.0.1').setPort(port());
    const leader = new gossip.MemberInfo().setState(gossip.MemberInfo.VNodeState.LEADER).setIsAlive(true).setHttpEndPoint(place);
    answer(null, new gossip.ClusterInfo().setMembersList([leader]));
  },
});
