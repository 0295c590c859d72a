import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const FLAG = { type: 'boolean' }
const SENT = { ...objectOf({ name: TEXT, uid: TEXT }), required: ['name'] }
const APP = { ...objectOf({ id: TEXT, name: TEXT, uid: TEXT }), required: ['id', 'name'] }
const LETTER = objectOf({ id: TEXT, subject: TEXT })

const API: DocumentedApi = {
  'GET /apps': { shown: listOf(APP) },
  'POST /apps': {
    sent: SENT,
    shown: APP,
    status: [201, 409],
    query: { get_if_exists: FLAG },
    described: { 409: 'An app with this UID already exists.' },
  },
  'GET /apps/{app}': { shown: APP, status: [200, 404] },
  'GET /letters': { shown: listOf(LETTER) },
  'GET /letters/{id}': { shown: LETTER },
  'POST /letters': { sent: objectOf({ subject: TEXT }), shown: LETTER },
  'POST /letters/bulk': {
    sent: { type: 'array', items: objectOf({ subject: TEXT }) },
    shown: listOf(LETTER),
  },
}

async function openWithKeys(): Promise<
  (path: string, body: unknown, key: string) => Promise<unknown>
> {
  const { sandbox } = await openApi(API)
  return async (path, body, key) => {
    const response = await sandbox.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
      }),
    )
    return response.json()
  }
}

test('a creation that has the key of an earlier one shows the record of that one', async () => {
  const post = await openWithKeys()

  const first = await post('/letters', { subject: 'a' }, 'k1')
  const again = await post('/letters', { subject: 'a' }, 'k1')
  const other = await post('/letters', { subject: 'a' }, 'k2')

  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
  expect(first).toEqual({ id: expect.any(String), subject: 'a' })
})

test('several creations with one key are repeated one by one', async () => {
  const post = await openWithKeys()
  const letters = [{ subject: 'a' }, { subject: 'a' }]

  const first = (await post('/letters/bulk', letters, 'k1')) as { id: string }[]
  const again = await post('/letters/bulk', letters, 'k1')

  expect(new Set(first.map(({ id }) => id)).size).toBe(2)
  expect(again).toEqual(first)
})

test('a value that the conflict of a creation calls taken is a 409, unless the request asks for the record that has it', async () => {
  const { ask } = await openApi(API)
  const { body: app } = await ask('POST /apps', { name: 'A', uid: 'a' })

  const taken = await ask('POST /apps', { name: 'B', uid: 'a' })
  const found = await ask('POST /apps?get_if_exists=true', { name: 'B', uid: 'a' })
  const free = await ask('POST /apps?get_if_exists=true', { name: 'B', uid: 'b' })
  const unnamed = await ask('POST /apps', { name: 'C' })

  expect(taken.status).toBe(409)
  expect(found).toMatchObject({ status: 200, body: app })
  expect(free).toMatchObject({ status: 201, body: { name: 'B', uid: 'b' } })
  expect(unnamed.status).toBe(201)
})

test('no two records may have what the description of a conflict calls taken, which is no time', async () => {
  const shop = objectOf({ id: TEXT, created: { type: 'string', format: 'date-time' } })
  const { ask } = await openApi({
    ...API,
    'GET /shops': { shown: listOf(shop) },
    'GET /shops/{id}': { shown: shop, status: [200, 404] },
    'POST /shops': {
      ...{ sent: shop, shown: shop, status: [201, 409] },
      described: { 409: 'A resource being created already exists.' },
    },
  })
  const times = [1, 2].map(() => ({ created: '2024-05-01T10:00:00Z' }))

  const apps = [await ask('POST /apps', { name: 'a', uid: 'u' })]
  apps.push(await ask('POST /apps', { name: 'b', uid: 'u' }))
  const shops = [await ask('POST /shops', times[0]), await ask('POST /shops', times[1])]

  expect(apps.map(({ status }) => status)).toEqual([201, 409])
  expect(shops.map(({ status }) => status)).toEqual([201, 201])
})
