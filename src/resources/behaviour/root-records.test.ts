import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const REALM = objectOf(['realm', 'title'])
const ROLE = objectOf(['id', 'title'])
const REALMS: DocumentedApi = {
  'GET /': { shown: listOf(REALM) },
  'POST /': { sent: REALM, shown: REALM, status: [201] },
  'GET /status': { shown: objectOf(['text']) },
  'GET /{realm}': { shown: REALM, status: [200, 404] },
  'PUT /{realm}': { sent: REALM, shown: REALM, status: [200, 404] },
  'DELETE /{realm}': { status: [204, 404] },
  'GET /{realm}/roles': { shown: listOf(ROLE), status: [200, 404] },
}

test('records at the root of the API are created, listed, changed and removed', async () => {
  const { ask } = await openApi(REALMS)
  const sent = { realm: 'acme', title: 'Acme' }
  const { status, headers } = await ask('POST /', sent)

  expect(status).toBe(201)
  expect(headers.get('location')).toBe('http://localhost/acme')
  expect((await ask('GET /')).body).toContainEqual(sent)
  expect((await ask('GET /acme')).body).toEqual(sent)
  expect((await ask('PUT /acme', { ...sent, title: 'Other' })).body.title).toBe('Other')
  expect((await ask('DELETE /acme')).status).toBe(204)
  expect((await ask('GET /acme')).status).toBe(404)
  expect((await ask('GET /acme/roles')).status).toBe(404)
})

test('the other paths at the root are no ids of its records', async () => {
  const { ask } = await openApi(REALMS)

  expect((await ask('GET /status')).body).toEqual({ text: expect.any(String) })
  expect((await ask('GET /unknown')).status).toBe(404)
})
