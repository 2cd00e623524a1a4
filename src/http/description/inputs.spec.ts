import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { HttpModule } from '../http.module.ts';
import type { Operation } from './operation.ts';
import { operationTable, schemaTable } from './operation-table.ts';
import type { Schema } from './schema.ts';

/** Which operation takes a class that checks a body or a query; a new one has no row here, and the last test names it. */
const takenBy: Readonly<Record<string, string>> = {
  AuthenticateDto: 'POST /authenticate',
  RegisterDto: 'POST /account/register',
  UpdateAccountDto: 'PUT /account',
  ChangePasswordDto: 'POST /account/password',
  ResetPasswordDto: 'POST /account/password/reset',
  ConfirmDto: 'POST /account/confirm',
  CreateTokenDto: 'POST /account/tokens',
  AdministerDto: 'PUT /accounts/:userId',
  UpdateProjectDto: 'PUT /project/:id',
  AddMemberDto: 'POST /project/:id/users',
  ChangeRoleDto: 'PUT /project/:id/users/:userId',
  RemoveMembersDto: 'DELETE /project/:id/users',
  TransferDto: 'POST /project/:id/transfer',
  NotificationSettingsDto: 'POST /project/:id/notifications',
  AreaDto: 'PUT /area/:id',
  CheckDto: 'PUT /test/:id',
  TrialDto: 'POST /project/:id/try',
  CorrectionDto: 'POST /test/:id/corrections',
  WhatIfDto: 'POST /test/:id/what-if',
  SwitchBadgeDto: 'PUT /project/:id/badge',
  ScheduleMaintenanceDto: 'POST /project/:id/maintenance',
  CancelMaintenanceDto: 'DELETE /project/:id/maintenance',
  SkipDto: 'POST /ops/projections/:name/parked/:eventId/skip',
  CreateCheckQuery: 'POST /test',
  ListAccountsDto: 'GET /accounts',
  ListProjectsDto: 'GET /projects',
  ListJobsDto: 'GET /project/:id/jobs',
};
const ofQuery = /Query$|^List/;

/** What class-validator keeps of one rule, as far as it is looked at here. */
interface Rule {
  readonly propertyName: string;
}

/** By name of the class: the fields that it takes. */
function checked(): ReadonlyMap<string, readonly string[]> {
  expect(HttpModule).toBeDefined();
  const storage = getMetadataStorage() as unknown as {
    readonly validationMetadatas: ReadonlyMap<{ readonly name: string }, readonly Rule[]>;
  };
  return new Map(
    [...storage.validationMetadatas].map(([{ name }, rules]) => [
      name,
      [...new Set(rules.map(({ propertyName }) => propertyName))].toSorted(),
    ]),
  );
}

function fieldsOf(schema: Schema): readonly string[] {
  if (schema.$ref !== undefined) return fieldsOf(schemaTable[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return [...new Set([...Object.keys(schema.properties ?? {}), ...(schema.anyOf ?? []).flatMap(fieldsOf)])].toSorted();
}

const described = ({ body, query = {} }: Operation, name: string): readonly string[] =>
  ofQuery.test(name) ? Object.keys(query).toSorted() : fieldsOf(body?.schema ?? {});

describe('what is described is what is accepted', () => {
  it.each([...checked()])('%s', (name, fields) => {
    const operation = operationTable[takenBy[name] ?? ''];
    expect([name, operation !== undefined]).toEqual([name, true]);
    if (operation !== undefined) expect(fields).toEqual(described(operation, name));
  });
});
