import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../index.ts'
import { findBrowser, HOW_TO_INSTALL } from '../browser.ts'
import { bundleScript, openSite, type Site } from '../site.ts'

/** What the page gets for a path of the API. */
function ask(site: Site, path: string, init: RequestInit = {}) {
  return site.page.evaluate(
    async ([address, options]) => {
      await globalThis.opened
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
  test('has no module of Node, no YAML and no code that is made of text', async () => {
    const { files, packages } = await bundleScript('dist/msw.js', {
      external: ['msw', '@faker-js/faker'],
    })

    const text = [...files.values()].join('\n')
    expect(packages.filter((name) => !name.startsWith('@faker-js/faker/locale/'))).toEqual(['msw'])
    expect(text).not.toMatch(/\beval\s*\(|\bFunction\s*\(|Dynamic require|\bprocess\./)
    expect(text).not.toMatch(/YAMLParseError|SwaggerParser|new Ajv/)
  })

  test('leaves faker to a chunk that only seeding loads', async () => {
    const { files } = await bundleScript('dist/msw.js', { external: ['msw', '@faker-js/faker/*'] })

    const withFaker = [...files].filter(([, text]) => text.includes('@faker-js/faker'))
    expect(withFaker.map(([name]) => name)).toEqual([expect.stringMatching(/^seed-/)])
    expect(files.get('script.js')).toMatch(/import\("\.\/seed-[\w-]+\.js"\)/)
  })
})

if (!findBrowser())
  console.warn(`The tests in a browser are left out: there is none. ${HOW_TO_INSTALL}`)

describe.skipIf(!findBrowser())('a page with a strict content security policy', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite({ script: 'src/testing/msw-page.ts' })
  })
  afterAll(() => site.close())

  test('runs the worker and the engine', async () => {
    const { body: list } = await ask(site, '/pets?limit=2')
    const created = await ask(site, '/pets', {
      method: 'POST',
      headers: { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' },
      body: '{"name":"Biscuit","categoryId":2}',
    })
    const { body: read } = await ask(site, '/pets/51')
    const refused = await ask(site, '/pets', { headers: {} })

    expect(list).toHaveLength(2)
    expect(created).toMatchObject({ status: 201, remaining: '58', body: { id: 51 } })
    expect(read).toEqual(created.body)
    expect(refused.status).toBe(401)
    expect(site.pageErrors).toEqual([])
  })

  test('has the violations reported that there are', async () => {
    // Proof that the test above would notice: the policy does forbid what it forbids.
    const outcome = await site.page.evaluate(() =>
      fetch('https://other.example.com/').then(String, String),
    )

    expect(outcome).toContain('Failed to fetch')
    expect(site.pageErrors.join()).toContain('Content Security Policy')
  })
})

describe.skipIf(!findBrowser())('a page that persists its session', () => {
  let site: Site

  beforeAll(async () => {
    const options: SandboxOptions = { persist: 'session' }
    const hash = `#${encodeURIComponent(JSON.stringify(options))}`
    site = await openSite({ script: 'src/testing/msw-page.ts', hash })
    // MSW reloads a page that was left before its worker had started.
    await site.page.evaluate(() => globalThis.opened.then(String))
  })
  afterAll(() => site.close())

  const create = () =>
    ask(site, '/pets', {
      method: 'POST',
      headers: { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' },
      body: '{"name":"Biscuit","categoryId":2}',
    })

  test('goes on after a reload: records, ids, quota, forced time', async () => {
    await site.page.evaluate(async () => {
      const sandbox = await globalThis.opened
      sandbox.clock.set('2027-03-01T12:00:00Z')
    })
    await create()

    await site.page.reload()
    const read = await ask(site, '/pets/51')
    const next = await create()
    const now = await site.page.evaluate(async () => (await globalThis.opened).clock.now())

    expect(read).toMatchObject({ status: 200, remaining: '58', body: { name: 'Biscuit' } })
    expect(next).toMatchObject({ status: 201, remaining: '57', body: { id: 52 } })
    expect(now).toBe(Date.parse('2027-03-01T12:00:00Z'))
  })

  test('keeps what was changed just before the page was left', async () => {
    await site.page.evaluate(async () => {
      const sandbox = await globalThis.opened
      await sandbox.collection('pets').remove(1)
    })
    await site.page.reload()

    expect((await ask(site, '/pets/1')).status).toBe(404)
  })

  test('starts anew after a reset, and from a session that is damaged', async () => {
    await site.page.evaluate(async () => (await globalThis.opened).reset())
    await site.page.reload()
    const { body: list } = await ask(site, '/pets?limit=1')

    await create()
    await site.page.evaluate(() => {
      // What is kept last, when the page is left, is what is damaged.
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
