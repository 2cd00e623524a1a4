import ipaddr from 'ipaddr.js';

/** Where an address comes from, as far as tries are counted: whoever has an IPv6 address has 2^64 of them, in whatever way they are written. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const read = ipaddr.process(address);
  return read.kind() === 'ipv4' ? read.toString() : ipaddr.fromByteArray([...read.toByteArray().slice(0, 8), ...NO_HOST]).toString();
}

const NO_HOST = [0, 0, 0, 0, 0, 0, 0, 0];
