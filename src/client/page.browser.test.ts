import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type {} from '../testing/client-page.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'
import { bundleScript, openSite, type Site } from '../testing/site.ts'

afterEach(stopServers)

test('the bundle of the client contains no part of the engine and no Node module', async () => {
  const { files, packages } = await bundleScript('dist/client.js')

  const text = [...files.values()].join('\n')
  expect(packages).toEqual([])
  expect(text).not.toMatch(/\bprocess\.|X-RateLimit|faker|lossless/i)
})

describe('a page of another origin', () => {
  let site: Site

  beforeAll(async () => {
    const policy = "default-src 'none'; script-src 'self'; connect-src *"
    site = await openSite({ script: 'src/testing/client-page.ts', policy })
  })
  afterAll(() => site.close())

  test('can control the sandbox and follow its journal when its origin is allowed', async () => {
    const { sandbox, origin } = await serveSandbox({ control: { origins: [site.origin] } })

    const result = await site.page.evaluate(async (address) => {
      const client = globalThis.createSandboxClient(address)
      await client.clock.set('2030-12-05T00:00:00Z')
      await client.force('server-error', { times: 1 })
      const world = await client.world('one')
      await world.collection('pets').remove(1)
      const followed = new Promise<string>((resolve) => {
        void client
          .onExchange(({ id, target }) => resolve(`${id} ${target}`))
          .then(async () => {
            await fetch(`${address}/v1/pets?limit=1`)
          })
      })
      // @ts-expect-error: the duration is invalid.
      const refusal = await client.clock.advance('61x').catch(String)

      return { now: await client.clock.now(), followed: await followed, refusal }
    }, origin)

    expect(result).toEqual({
      now: Date.UTC(2030, 11, 5),
      followed: '1 /pets?limit=1',
      refusal: expect.stringMatching(/^UsageError: Cannot read the duration "61x"/),
    })
    expect(sandbox.journal.exchanges).toMatchObject([{ forced: 'server-error' }])
    expect(await sandbox.world('one').collection('pets').count()).toBe(49)
    expect(site.pageErrors).toEqual([])
  })

  test('gets an error that suggests --control-origin when its origin is not allowed', async () => {
    const { origin } = await serveSandbox()

    const refusal = await site.page.evaluate(
      (address) => globalThis.createSandboxClient(address).reset().catch(String),
      origin,
    )

    expect(refusal).toBe(
      `UsageError: Cannot reach the sandbox at ${origin}: the request failed (Failed to fetch). ` +
        `Start it with: pet-sandbox --control-origin ${site.origin}, or check the address.`,
    )
  })
})
