import { type INestApplication, Injectable } from '@nestjs/common';

/** The description of the interface, made when somebody first asks for it: the start does not pay for it. */
@Injectable()
export class OpenApi {
  private app: INestApplication | undefined;
  private made: Promise<string> | undefined;

  attach(app: INestApplication): void {
    this.app = app;
  }

  json(): Promise<string> {
    this.made ??= this.make();
    return this.made;
  }

  private async make(): Promise<string> {
    if (this.app === undefined) throw new Error('OpenApi.attach was not called');
    const describeApi = await loadDescription();
    return JSON.stringify(describeApi(this.app));
  }
}

/** Not inside the class: the compiler leaves the extension of a dynamic import in a decorated class as it is. */
const loadDescription = async (): Promise<(app: INestApplication) => object> => (await import('./describe-api.ts')).describeApi;
