export {
  startThrowawayCluster as startTestCluster,
  type ThrowawayCluster as TestCluster,
} from '../../src/ops/embedded/throwaway-cluster.ts';
