import { expect, it } from '@jest/globals';
import { importedText, reasonsOf } from '../../../test/support/imported.ts';

const SUITE = `suites:
  - name: Order
    group: Shop
    interval: 5m
    context: {price: 19.99}
    endpoints:
      - name: Create
        url: https://api.example/items
        method: POST
        body: '{"price": "[CONTEXT].price"}'
        conditions: ["[STATUS] == 201", "[BODY].price == [CONTEXT].price"]
        store: {item-id: "[BODY].id", code: "[STATUS]"}
      - name: Read
        url: https://api.example/items/[CONTEXT].item-id
        headers: {X-Item: "[CONTEXT].item-id"}
        conditions: ["[STATUS] == 200", "[BODY].id == [CONTEXT].item-id"]
      - name: Delete elsewhere
        url: https://admin.example/items/[CONTEXT].item-id
        method: DELETE
        always-run: true
        conditions: ["[STATUS] == 204"]
`;

it('makes a journey of a suite of Gatus: one group, whose checks hand values on', async () => {
  const found = await importedText('gatus', SUITE);
  expect(found.sites).toMatchObject([
    { key: 'import:gatus:api.example', url: 'https://api.example', period: '5 minutes', groups: [{ name: 'Shop / Order' }] },
  ]);
  expect(found.secrets.get('GATUS_SHOP_ORDER_CREATE_BODY')).toBe('{"price": "19.99"}');
  expect(found.checks).toMatchObject([
    {
      ...{ name: 'Create', url: '/items' },
      rules: [
        { type: 'status', op: 'eq', val: '201' },
        { type: 'json:$.price', op: 'eq', val: '19.99' },
      ],
      options: { method: 'POST', extract: [{ name: 'item_id', from: 'json:$.id', origins: ['https://admin.example'] }] },
    },
    { name: 'Read', url: '/items/{{item_id}}', rules: [{ type: 'status' }], options: { uses: ['item_id'] } },
    { name: 'Delete elsewhere', url: 'https://admin.example/items/{{item_id}}', options: { method: 'DELETE', uses: ['item_id'] } },
  ]);
  expect(reasonsOf(found)).toEqual(
    expect.arrayContaining([
      'not carried: Shop / Order / Create: store code: only values of a JSON answer can be handed on',
      'not carried: Shop / Order / Read: condition [BODY].id == [CONTEXT].item-id: it compares two values that are not both in a JSON answer',
    ]),
  );
});
