import { Injectable } from '@nestjs/common';

const VERSION = '1';

/** The description of the interface, made when somebody first asks for it: the start does not pay for it. */
@Injectable()
export class OpenApi {
  private made: Promise<string> | undefined;

  json(): Promise<string> {
    this.made ??= loadDescription().then((describe) => JSON.stringify(describe(VERSION)));
    return this.made;
  }
}

/** Not inside the class: the compiler leaves the extension of a dynamic import in a decorated class as it is. */
const loadDescription = async (): Promise<(version: string) => object> => (await import('../../http/description/open-api.ts')).describeApi;
