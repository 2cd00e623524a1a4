interface OwnAddress {
  readonly publicUrl: string | undefined;
  readonly host: string;
  readonly port: number;
}

/** The address of the service by its configuration alone: the host header of a request can be forged. */
export const ownOrigin = ({ publicUrl, host, port }: OwnAddress): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
