/** Places from which sites are checked, by the names of the interface (docs/spec/interface.md). */
export const LOCATIONS = ['eu', 'de', 'gb', 'ca', 'us', 'tx', 'dc', 'sg', 'hk'] as const;
