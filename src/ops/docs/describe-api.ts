import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { describeFields } from './describe-fields.ts';

const UNAUTHENTICATED = /\/(authenticate|account\/(register|confirm|password\/reset)|ledger\/(checkpoint|key|tile))/;

/** Paths from the controllers, fields from the rules that check them: what is described is what is accepted. */
export function describeApi(app: INestApplication): OpenAPIObject {
  describeFields();
  const frame = new DocumentBuilder()
    .setTitle('Watchledger')
    .setDescription(
      'Site monitoring that can prove what it says. POST /api/authenticate answers the bearer token that every other path asks for.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, 'token')
    .addSecurityRequirements('token')
    .build();
  const document = SwaggerModule.createDocument(app, frame, { operationIdFactory: (_controller, method) => method });
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of [item.get, item.post, item.put, item.delete]) {
      if (operation === undefined) continue;
      operation.summary ??= sentence(operation.operationId ?? '');
      operation.parameters = [...pathParameters(path, operation.parameters ?? []), ...(operation.parameters ?? [])];
      operation.responses.default ??= { description: 'An error', content: { 'application/json': { schema: ERROR } } };
      if (UNAUTHENTICATED.test(path)) operation.security = [];
    }
  }
  return document;
}

type Parameters = NonNullable<NonNullable<OpenAPIObject['paths'][string]['get']>['parameters']>;

/** A handler that takes the project from its guard names no parameter, but its path does. */
const pathParameters = (path: string, named: Parameters): Parameters =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !named.some((parameter) => 'name' in parameter && parameter.name === name))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

/** Some errors that the interface lists carry the message alone. */
const ERROR = {
  type: 'object',
  properties: { message: { type: 'string' }, code: { type: 'integer' }, ok: { type: 'boolean' }, error: { type: 'boolean' } },
  required: ['message'],
};

/** `listProjects` reads as "List projects". */
const sentence = (name: string): string => {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
