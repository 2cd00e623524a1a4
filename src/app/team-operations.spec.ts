import { Controller, Delete, Get, Module, Post } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { callerRight, openRight, projectRight, systemReader } from '../accounts/rights/right.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { describeApi } from './open-api.ts';
import { operationTable } from './operation-table.ts';

@Controller()
class SalesController {
  @Get('project/:id/sales/:month')
  @Needs(projectRight('read'))
  ofMonth(): string {
    return '';
  }

  @Post('sales')
  @Needs(callerRight)
  add(): string {
    return '';
  }

  @Delete('sales')
  @Needs(systemReader)
  forget(): string {
    return '';
  }

  @Get('sales/closed')
  closed(): string {
    return 'without a right';
  }
}

@Controller('shop')
@Needs(openRight)
class ShopController {
  @Get()
  all(): string {
    return '';
  }
}

@Module({ controllers: [ShopController] })
class ShopModule {}

@Module({ controllers: [SalesController], imports: [ShopModule] })
class SalesModule {}

const own = Object.keys(describeApi('1').paths);
const described = describeApi('1', [SalesModule]);
const of = (method: string, path: string) => described.paths[path]?.[method];

describe('the routes of teams', () => {
  it('are described with the parameters of their path and their right', () => {
    expect(of('get', '/project/{id}/sales/{month}')).toMatchObject({
      operationId: 'team_get_project_id_sales_month',
      tags: ['Teams'],
      summary: 'Sales: ofMonth',
      description: 'Needs the permission `read`. A narrowed token needs the scope `read`.',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { pattern: '^[0-9a-f]{24}$' } },
        { name: 'month', in: 'path', required: true },
        { name: 'If-None-Match', in: 'header', required: false },
        { name: 'Accept-Signature', in: 'header', required: false },
      ],
      responses: { '200': { content: { 'application/json': {} } }, '304': {}, '401': {}, '403': {} },
      security: [{ token: [] }],
    });
    expect(of('delete', '/sales')).toMatchObject({
      description: 'For administrators and auditors of the installation. A narrowed token needs the scope `systemRead`.',
    });
    expect(of('get', '/shop')).toMatchObject({ summary: 'Shop: all', description: 'Needs no token.', security: [] });
  });

  it('accept a body and an Idempotency-Key when they write', () => {
    expect(of('post', '/sales')).toMatchObject({
      requestBody: { required: false },
      parameters: [{ name: 'Idempotency-Key', in: 'header', required: false }],
    });
    expect(of('get', '/shop')).not.toHaveProperty('requestBody');
  });

  it('are omitted when they are closed, and the description without teams does not mention any', () => {
    expect(of('get', '/sales/closed')).toBeUndefined();
    expect(
      Object.keys(described.paths)
        .filter((path) => !own.includes(path))
        .toSorted(),
    ).toEqual(['/project/{id}/sales/{month}', '/sales', '/shop']);
    const names = (tags: readonly object[]) => tags.map((tag) => ('name' in tag ? tag.name : ''));
    expect(names(described.tags)).toContain('Teams');
    expect(names(describeApi('1').tags)).not.toContain('Teams');
    expect(Object.keys(operationTable).some((key) => key.includes('sales'))).toBe(false);
  });
});
