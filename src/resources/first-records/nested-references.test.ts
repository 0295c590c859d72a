import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const [NUMBER, TEXT] = [{ type: 'integer' }, { type: 'string' }] as const
const path = { id: NUMBER }
const PART = objectOf({ id: NUMBER, name: TEXT })
const ZONE = objectOf({ id: { type: 'string', format: 'uuid' }, name: TEXT })
const ZONE_ID = { type: 'string', format: 'uuid' } as const
const KIT = {
  ...objectOf({
    ...{ id: NUMBER, title: TEXT, main_part_id: NUMBER },
    slots: { ...listOf({ ...objectOf({ part_id: NUMBER }), required: ['part_id'] }), minItems: 1 },
    site: { ...objectOf({ zone_id: ZONE_ID }), required: ['zone_id'] },
  }),
  required: ['id', 'title', 'main_part_id', 'slots', 'site'],
}
const API = {
  'GET /parts': { shown: listOf(PART) },
  'GET /parts/{id}': { shown: PART, path },
  'GET /zones': { shown: listOf(ZONE) },
  'GET /zones/{id}': { shown: ZONE, path: { id: ZONE_ID } },
  'GET /kits': { shown: listOf(KIT) },
  'POST /kits': { sent: objectOf({ title: TEXT }), shown: KIT, status: [201] },
  'GET /kits/{id}': { shown: KIT, path },
}

interface Kit {
  readonly main_part_id: number
  readonly slots: readonly { readonly part_id: number }[]
  readonly site: { readonly zone_id: string }
}

test('ids in lists and objects of records are those of records that exist', async () => {
  const { ask } = await openApi(API)
  const { body: first } = await ask<Kit[]>('GET /kits')

  const { body: created } = await ask<Kit>('POST /kits', { title: 'New' })

  const parts = [...first, created].flatMap(({ slots, main_part_id }) => [
    ...slots.map(({ part_id }) => part_id),
    main_part_id,
  ])
  const zones = [...first, created].map(({ site }) => site.zone_id)
  const known = (await ask<{ id: unknown }[]>('GET /parts')).body.map(({ id }) => id)
  const knownZones = (await ask<{ id: unknown }[]>('GET /zones')).body.map(({ id }) => id)
  expect(parts.filter((id) => !known.includes(id))).toEqual([])
  expect(zones.filter((id) => !knownZones.includes(id))).toEqual([])
})

test('a text that is called as a catalogue has a key of it, whatever its example shows', async () => {
  const region = objectOf({ id: TEXT, city: TEXT })
  const server = {
    ...objectOf({ id: NUMBER, region: { ...TEXT, example: 'mars-1' } }),
    required: ['id', 'region'],
  }
  const { ask } = await openApi({
    'GET /regions': { shown: listOf({ ...region, required: ['id'] }) },
    'GET /servers': { shown: listOf(server) },
    'POST /servers': { sent: objectOf(['size']), shown: server, status: [201] },
    'GET /servers/{id}': { shown: server, path },
  })
  const { body: regions } = await ask<{ id: string }[]>('GET /regions')

  const { body: servers } = await ask<{ region: string }[]>('GET /servers')
  const { body: created } = await ask<{ region: string }>('POST /servers', { size: 's' })

  const known = regions.map(({ id }) => id)
  expect([...servers, created].filter((one) => !known.includes(one.region))).toEqual([])
})
