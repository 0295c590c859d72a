import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const FLAG = { type: 'boolean' }
const CHANNEL = {
  ...objectOf({
    id: TEXT,
    name: TEXT,
    topic: TEXT,
    is_archived: FLAG,
    created: { type: 'integer' },
  }),
  required: ['id', 'name', 'is_archived', 'created'],
}

function shows(properties: object): object {
  return { ...objectOf({ ok: { const: true }, ...properties }), required: ['ok'] }
}

const ONE = shows({ channel: CHANNEL })
const CALLS: DocumentedApi = {
  'POST /conversations.create': { sent: objectOf(['name']), shown: ONE },
  'GET /conversations.info': { shown: ONE, query: { channel: TEXT }, status: [200, 404] },
  'GET /conversations.list': { shown: shows({ channels: listOf(CHANNEL) }) },
  'POST /conversations.rename': { sent: objectOf(['channel', 'name']), shown: ONE },
  'POST /conversations.archive': { sent: objectOf(['channel']), shown: shows({}) },
  'POST /conversations.delete': { sent: objectOf(['channel']), shown: shows({}) },
  'GET /conversations.history': { shown: shows({ messages: listOf(objectOf(['text'])) }) },
}

test('calls by a name with a dot are about the records that a list has, and name one as the list does', async () => {
  const { ask } = await openApi(CALLS)
  const { body } = await ask<{ readonly channel: Record<string, unknown> }>(
    'POST /conversations.create',
    { name: 'general' },
  )
  const { channel } = body
  const read = async () => (await ask(`GET /conversations.info?channel=${channel.id}`)).body
  const created = await read()

  const renamed = await ask('POST /conversations.rename', { channel: channel.id, name: 'random' })
  const archived = await ask('POST /conversations.archive', { channel: channel.id })

  const last = { ...channel, name: 'random', is_archived: true }
  expect(channel).toMatchObject({ name: 'general', is_archived: false })
  expect(created).toEqual({ ok: true, channel })
  expect(renamed.body).toEqual({ ok: true, channel: { ...channel, name: 'random' } })
  expect(archived.body).toEqual({ ok: true })
  expect(await read()).toEqual({ ok: true, channel: last })
  expect((await ask('GET /conversations.list')).body.channels).toContainEqual(last)
})

test('what a call by a name removes is a 404, and a call that no record tells has a generated response', async () => {
  const { ask } = await openApi(CALLS)
  const { body } = await ask<{ readonly channel: { readonly id: string } }>(
    'POST /conversations.create',
    { name: 'general' },
  )

  await ask('POST /conversations.delete', { channel: body.channel.id })

  const { status } = await ask(`GET /conversations.info?channel=${body.channel.id}`)
  const history = await ask(`GET /conversations.history?channel=${body.channel.id}`)
  expect(status).toBe(404)
  expect(history.headers.get('x-sandbox-source')).toMatch(/^generated\b/)
})

test('a call that reads by its query takes a POST, too, with the same values as a form or as JSON', async () => {
  const { ask, sandbox } = await openApi(CALLS)
  const { body } = await ask<{ readonly channel: { readonly id: string } }>(
    'POST /conversations.create',
    { name: 'general' },
  )
  const { id } = body.channel

  const inJson = await ask('POST /conversations.info', { channel: id })
  const inForm = await sandbox.fetch(
    new Request('http://localhost/conversations.info', {
      method: 'POST',
      body: new URLSearchParams({ channel: id }),
    }),
  )
  const unknown = await ask('POST /conversations.info', { channel: 'none' })

  expect(inJson.body).toMatchObject({ channel: { id, name: 'general' } })
  expect(await inForm.json()).toEqual(inJson.body)
  expect(unknown.status).toBe(404)
})
