import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectToBrowser } from '../testing/browser.ts'
import { startCommand, stopCommands } from '../testing/command.ts'
// The recipe of the guide.
import { signInAs } from '../testing/guide/examples/sign-in-page.ts'
import { openSite } from '../testing/site.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})
afterEach(stopCommands)
afterAll(() => rm(folder, { recursive: true }))

/** Serves the document of an example, and returns the address of the server. */
async function serve(file: string, options: readonly string[] = []): Promise<string> {
  const { base } = await startCommand([file, ...options])
  return new URL(base).origin
}

describe('a single-page application', () => {
  it('signs its user in on the page of the sandbox, and calls the API', async () => {
    const origin = await serve('src/testing/guide/examples/notes.yaml')
    const text = await readFile('src/testing/guide/examples/single-page.js', 'utf8')
    const script = join(folder, 'script.js')
    await writeFile(script, text.replaceAll('http://127.0.0.1:4010', origin))
    const policy = `default-src 'none'; script-src 'self'; connect-src ${origin}`
    const html =
      '<!doctype html><title>App</title><body></body><script type="module" src="/script.js"></script>'
    const { page, pageErrors, close } = await openSite({ script, policy, html })

    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAs(page, 'Ben Osei')
    await page.getByText(/^\d+ notes$/).waitFor()
    const { searchParams } = new URL(page.url())
    await close()

    expect(searchParams.size).toBe(0)
    expect(pageErrors).toEqual([])
  })
})

describe('the page to sign in', () => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    redirect_uri: 'http://localhost:3000/callback',
    scope: 'notes:read',
    code_challenge: 'c'.repeat(43),
  })

  it('works without script, by the keyboard, and sends no address in Referer', async () => {
    const origin = await serve('src/testing/guide/examples/notes.yaml')
    const browser = await connectToBrowser()
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.route('http://localhost:3000/**', (route) => route.fulfill({ body: 'The app.' }))
    await page.goto(`${origin}/authorize?${query}`)
    const left = page.waitForRequest('http://localhost:3000/**')

    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const request = await left
    const headers = await request.allHeaders()
    await page.close()

    expect(new URL(request.url()).searchParams.get('code')).toMatch(/^sbx_ac_/)
    expect(headers).not.toHaveProperty('referer')
  })

  it.each(['light', 'dark'] as const)(
    'has no barrier, and fits a phone: %s',
    async (colorScheme) => {
      const plans = ['--plan', 'free=60/1000', '--plan', 'pro=100/2000']
      const origin = await serve('src/testing/guide/examples/notes.yaml', plans)
      const browser = await connectToBrowser()
      const viewport = { width: 390, height: 700 }
      const context = await browser.newContext({ colorScheme, viewport, bypassCSP: true })
      const page = await context.newPage()
      await page.goto(`${origin}/authorize?${query}`)

      await page.evaluate(axe.source)
      const barriers = await page.evaluate('axe.run().then(({ violations }) => violations)')
      const width = await page.evaluate('document.documentElement.scrollWidth')
      await context.close()

      expect(barriers).toEqual([])
      expect(width).toBe(390)
    },
  )

  it('violates no policy of its own', async () => {
    const origin = await serve('src/testing/guide/examples/notes.yaml')
    const browser = await connectToBrowser()
    const page = await browser.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    await page.goto(`${origin}/authorize?${query}`)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await page.close()

    expect(messages).toEqual([])
  })
})
