import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../index.ts'
import { bundleScript, openSite, type Site } from '../site.ts'

/** Sends a request from the page to a path of the API. */
function send(site: Site, path: string, init: RequestInit = {}) {
  return site.page.evaluate(
    async ([address, options]) => {
      await globalThis.sandboxStarted
      const headers = { Authorization: 'Bearer sk_sandbox_free' }
      const response = await fetch(address, { headers, ...options })
      return {
        status: response.status,
        remaining: response.headers.get('X-RateLimit-Remaining'),
        body: await response.json(),
      }
    },
    [`https://api.example.com/v1${path}`, init] as const,
  )
}

describe('the bundle for a page', () => {
  test('contains no Node modules, no YAML and no code that is compiled from text', async () => {
    const { files, packages } = await bundleScript('dist/msw.js', {
      external: ['msw', '@faker-js/faker'],
    })

    const text = [...files.values()].join('\n')
    expect(packages.filter((name) => !name.startsWith('@faker-js/faker/locale/'))).toEqual(['msw'])
    expect(text).not.toMatch(/\beval\s*\(|\bFunction\s*\(|Dynamic require|\bprocess\./)
    expect(text).not.toMatch(/YAMLParseError|SwaggerParser|new Ajv/)
  })

  test('loads faker when a value is generated, and not before', async () => {
    const { files } = await bundleScript('dist/msw.js', { external: ['msw', '@faker-js/faker/*'] })

    const uses = [...files.values()].flatMap(
      (text) => text.match(/.{7}"@faker-js\/faker\/locale\/base"/g) ?? [],
    )
    expect(uses).toEqual([expect.stringMatching(/^import\(/)])
  })
})

describe('a page with a strict content security policy', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite({ script: 'src/testing/msw-page.ts' })
  })
  afterAll(() => site.close())

  test('runs the Service Worker and the engine', async () => {
    const { body: list } = await send(site, '/pets?limit=2')
    const created = await send(site, '/pets', {
      method: 'POST',
      headers: { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' },
      body: '{"name":"Biscuit","categoryId":2}',
    })
    const { body: read } = await send(site, '/pets/51')
    const refused = await send(site, '/pets', { headers: {} })

    expect(list).toHaveLength(2)
    expect(created).toMatchObject({ status: 201, remaining: '58', body: { id: 51 } })
    expect(read).toEqual(created.body)
    expect(refused.status).toBe(401)
    expect(site.pageErrors).toEqual([])
  })

  test('reports violations of its policy', async () => {
    // Shows that the test above would fail on a violation.
    const outcome = await site.page.evaluate(() =>
      fetch('https://other.example.com/').then(String, String),
    )

    expect(outcome).toContain('Failed to fetch')
    expect(site.pageErrors.join()).toContain('Content Security Policy')
  })
})

describe('a page that persists its session', () => {
  let site: Site

  beforeAll(async () => {
    const options: SandboxOptions = { persist: 'session' }
    const hash = `#${encodeURIComponent(JSON.stringify(options))}`
    site = await openSite({ script: 'src/testing/msw-page.ts', hash })
    // MSW reloads a page that is reloaded before its Service Worker has started.
    await site.page.evaluate(() => globalThis.sandboxStarted.then(String))
  })
  afterAll(() => site.close())

  const create = () =>
    send(site, '/pets', {
      method: 'POST',
      headers: { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' },
      body: '{"name":"Biscuit","categoryId":2}',
    })

  test('keeps records, ids, quota and clock after a reload', async () => {
    await site.page.evaluate(async () => {
      const sandbox = await globalThis.sandboxStarted
      sandbox.clock.set('2027-03-01T12:00:00Z')
    })
    await create()

    await site.page.reload()
    const read = await send(site, '/pets/51')
    const next = await create()
    const now = await site.page.evaluate(async () => (await globalThis.sandboxStarted).clock.now())

    expect(read).toMatchObject({ status: 200, remaining: '58', body: { name: 'Biscuit' } })
    expect(next).toMatchObject({ status: 201, remaining: '57', body: { id: 52 } })
    expect(now).toBe(Date.parse('2027-03-01T12:00:00Z'))
  })

  test('keeps a change that is made immediately before a reload', async () => {
    await site.page.evaluate(async () => {
      const sandbox = await globalThis.sandboxStarted
      await sandbox.collection('pets').remove(1)
    })
    await site.page.reload()

    expect((await send(site, '/pets/1')).status).toBe(404)
  })

  test('starts with the first records after a reset, and when the stored session is damaged', async () => {
    await site.page.evaluate(async () => (await globalThis.sandboxStarted).reset())
    await site.page.reload()
    const { body: list } = await send(site, '/pets?limit=1')

    await create()
    await site.page.evaluate(() => {
      // Damages the session after the page has stored it for the last time.
      addEventListener('pagehide', () => {
        for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, '{"version":0')
      })
    })
    const warned = site.page.waitForEvent('console', (message) => message.type() === 'warning')
    await site.page.reload()
    const created = await create()

    expect(list).toMatchObject([{ id: 1 }])
    expect((await warned).text()).toContain('The kept session is dropped')
    expect(created.body).toMatchObject({ id: 51 })
    expect(site.pageErrors).toEqual([])
  })
})
