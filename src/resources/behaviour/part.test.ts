import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const SENT = objectOf({ name: { type: 'string' }, note: { type: 'string' } })
const SHOWN = {
  ...objectOf({
    id: { type: 'integer' },
    area: {
      ...objectOf({ name: { type: 'string' }, note: { type: 'string' }, size: { type: 'number' } }),
      required: ['name', 'size'],
    },
  }),
  required: ['id', 'area'],
}

test('what clients send instead of a record is in the property that shows it', async () => {
  const { ask, sandbox } = await openApi({
    'GET /areas': { shown: listOf(SHOWN) },
    'POST /areas': { sent: SENT, shown: objectOf({ id: { type: 'integer' } }), status: [201] },
    'GET /areas/{id}': { shown: SHOWN, status: [200, 404] },
    'PUT /areas/{id}': { sent: SENT, shown: SHOWN },
    'PATCH /areas/{id}': { sent: SENT, shown: SHOWN },
  })
  const { body: made } = await ask<{ id: number }>('POST /areas', {
    name: 'Harbour',
    note: 'North',
  })
  const read = async () => (await ask(`GET /areas/${made.id}`)).body.area

  expect(await read()).toEqual({ name: 'Harbour', note: 'North', size: expect.any(Number) })
  await ask(`PATCH /areas/${made.id}`, { note: 'South' })
  expect(await read()).toMatchObject({ name: 'Harbour', note: 'South' })
  await ask(`PUT /areas/${made.id}`, { name: 'Beach' })
  expect(await read()).toMatchObject({ name: 'Beach' })
  expect((await sandbox.collection('areas').get(made.id))?.area).toMatchObject({ name: 'Beach' })
})

test('a response without that property shows what the client sent, too', async () => {
  const { ask } = await openApi({
    'POST /areas': { sent: SENT, shown: objectOf(['id', 'name', 'note']), status: [201] },
    'GET /areas/{id}': { shown: SHOWN, status: [200, 404] },
  })

  const { body: made } = await ask('POST /areas', { name: 'Harbour', note: 'North' })

  expect(made).toMatchObject({ name: 'Harbour', note: 'North' })
})
