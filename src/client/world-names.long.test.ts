import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { worldNameError, worldPath } from '../http/paths.ts'
import { scaledRuns } from '../testing/long-run.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'
import { toRequest } from '../testing/transports.ts'
import { createClient } from './client.ts'

afterEach(stopServers)

const SPECIAL_NAMES = [
  'cart',
  'a > b / c',
  `it's "100%" …`,
  '%2e%2e',
  '...',
  '😀',
  'default/',
  '__proto__',
  '\u0000',
  ' ',
  ',',
]

/** Any valid name of a world, except that of the default world. */
const worldName = fc
  .oneof(
    fc.constantFrom(...SPECIAL_NAMES),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  )
  .filter((name) => worldNameError(name) === undefined && name !== 'default')

test('path, header, sandbox and client choose the same world for any valid name', async () => {
  const { sandbox, origin } = await serveSandbox({ sandbox: { records: 1 } })
  const client = createClient(origin)
  const send = async (path: string, headers = {}): Promise<number> => {
    const { status } = await fetch(toRequest('GET', origin + path, { headers }))
    return status
  }

  const property = fc.asyncProperty(worldName, async (name) => {
    sandbox.worlds.delete(name)
    const encoded = encodeURIComponent(name)

    const world = await client.world(name)
    await world.clock.set('2027-03-01T12:00:00Z')
    const statuses = [
      await send(`/worlds/${encoded}/v1/pets`),
      await send('/v1/pets', { 'X-Sandbox-World': encoded }),
      (await sandbox.world(name).fetch(toRequest('GET', 'http://localhost/v1/pets'))).status,
    ]

    expect(statuses).toEqual([200, 200, 200])
    expect(sandbox.world(name).journal.last).toBe(3)
    expect(await world.journal.last()).toBe(3)
    const byUrl = createClient(`${origin}${worldPath(name)}/v1`)
    expect(await byUrl.health()).toMatchObject({ world: name })
    expect(await byUrl.clock.now()).toBe(Date.UTC(2027, 2, 1, 12))
    expect(sandbox.journal.last).toBe(0)
  })

  await fc.assert(property, { numRuns: scaledRuns(30) })
})
