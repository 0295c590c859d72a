import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const SETTINGS = { ...objectOf(['theme', 'locale']), required: ['theme'] }

test('a single record is read, replaced and updated', async () => {
  const { ask } = await openApi({
    'GET /me/settings': { shown: SETTINGS },
    'PUT /me/settings': { sent: SETTINGS, shown: SETTINGS },
    'PATCH /me/settings': { sent: objectOf(['theme', 'locale']), shown: SETTINGS },
  })
  const first = await ask('GET /me/settings')
  const dark = { theme: 'dark', locale: 'en' }

  expect(first.body).toMatchObject({ theme: expect.any(String) })
  expect((await ask('GET /me/settings')).body).toEqual(first.body)
  expect((await ask('PUT /me/settings', dark)).body).toEqual(dark)
  expect((await ask('GET /me/settings')).body).toEqual(dark)
  expect((await ask('PATCH /me/settings', { locale: 'de' })).body).toEqual({
    theme: 'dark',
    locale: 'de',
  })
  expect((await ask('GET /me/settings')).body).toEqual({ theme: 'dark', locale: 'de' })
})

test('a single record may have a list beside the values that requests change', async () => {
  const shown = objectOf({ html: { type: 'string' }, variants: listOf(objectOf(['html'])) })
  const { ask } = await openApi({
    'GET /campaigns/{id}/content': { shown },
    'PUT /campaigns/{id}/content': { sent: objectOf(['html', 'template']), shown },
  })

  await ask('PUT /campaigns/1/content', { html: '<p>Hello</p>' })

  expect((await ask('GET /campaigns/1/content')).body).toMatchObject({ html: '<p>Hello</p>' })
})

test('a single record can be changed before it is read', async () => {
  const { ask } = await openApi({
    'GET /settings': { shown: SETTINGS, status: [200, 404] },
    'PUT /settings': { sent: SETTINGS, status: [204] },
  })

  expect((await ask('PUT /settings', { theme: 'dark' })).status).toBe(204)
  expect((await ask('GET /settings')).body).toEqual({ theme: 'dark' })
})

test('a single record exists until it is removed, and again when it is replaced', async () => {
  const { ask } = await openApi({
    'GET /settings': { shown: SETTINGS, status: [200, 404] },
    'PUT /settings': { sent: SETTINGS, shown: SETTINGS },
    'DELETE /settings': { status: [204] },
  })

  expect((await ask('GET /settings')).status).toBe(200)
  expect((await ask('DELETE /settings')).status).toBe(204)
  expect((await ask('GET /settings')).status).toBe(404)
  expect((await ask('PUT /settings', { theme: 'dark' })).body).toEqual({ theme: 'dark' })
  expect((await ask('GET /settings')).body).toEqual({ theme: 'dark' })
})

test('each record above a single one has its own', async () => {
  const at = '/users/{id}/settings'
  const { ask } = await openApi({
    [`GET ${at}`]: { shown: SETTINGS },
    [`PUT ${at}`]: { sent: SETTINGS, shown: SETTINGS },
  })

  await ask('PUT /users/1/settings', { theme: 'dark' })
  await ask('PUT /users/2/settings', { theme: 'light' })

  expect((await ask('GET /users/1/settings')).body).toEqual({ theme: 'dark' })
  expect((await ask('GET /users/2/settings')).body).toEqual({ theme: 'light' })
})

test('a single record in an envelope is changed in it', async () => {
  const { ask } = await openApi({
    'GET /settings': { shown: objectOf({ data: SETTINGS }) },
    'PUT /settings': { sent: SETTINGS, shown: objectOf({ data: SETTINGS }) },
  })

  await ask('PUT /settings', { theme: 'dark' })

  expect((await ask('GET /settings')).body).toEqual({ data: { theme: 'dark' } })
})

test('an action on a single record sets what its name and its query say', async () => {
  const player = {
    ...objectOf({
      is_playing: { type: 'boolean' },
      shuffle_state: { type: 'boolean' },
      repeat_state: { type: 'string', enum: ['off', 'track'] },
    }),
    required: ['is_playing', 'shuffle_state', 'repeat_state'],
  }
  const state = { type: 'string', enum: ['off', 'track'] }
  const { ask } = await openApi({
    'GET /me/player': { shown: player },
    'PUT /me/player': { sent: objectOf({ device: { type: 'string' } }), status: [204] },
    'PUT /me/player/play': { status: [204] },
    'PUT /me/player/pause': { status: [204] },
    'PUT /me/player/shuffle': { query: { state: { type: 'boolean' } }, status: [204] },
    'PUT /me/player/repeat': { query: { state }, status: [204] },
  })
  const read = async () => (await ask('GET /me/player')).body

  await ask('PUT /me/player/pause')
  expect(await read()).toMatchObject({ is_playing: false })
  await ask('PUT /me/player/play')
  expect(await read()).toMatchObject({ is_playing: true })
  for (const isOn of [true, false]) {
    await ask(`PUT /me/player/shuffle?state=${isOn}`)
    await ask(`PUT /me/player/repeat?state=${isOn ? 'track' : 'off'}`)
    expect(await read()).toEqual({
      ...{ is_playing: true, shuffle_state: isOn, repeat_state: isOn ? 'track' : 'off' },
    })
  }
})
