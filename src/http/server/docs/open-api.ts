const VERSION = '1';

/** The description of the interface, made when somebody first asks for it: the start does not pay for it. */
export class OpenApi {
  private made: Promise<string> | undefined;

  /** `teams`: the modules that packages of projections bring along. */
  constructor(private readonly teams: readonly object[]) {}

  json(): Promise<string> {
    this.made ??= loadDescription().then((describe) => JSON.stringify(describe(VERSION, this.teams)));
    return this.made;
  }
}

const loadDescription = async (): Promise<(version: string, teams: readonly object[]) => object> =>
  (await import('../../description/open-api.ts')).describeApi;
