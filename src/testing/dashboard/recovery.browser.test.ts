import { describe, expect, test } from 'vitest'
import { startCommand } from '../command.ts'
import { findFreePort } from '../free-port.ts'
import { accessibilityProblems, openDashboard } from './dashboard.ts'

/** What a proxy adds. The sandbox asks for its token then. */
const FORWARDED = { 'X-Forwarded-For': '203.0.113.7' }

describe('the dashboard', () => {
  test('says that the sandbox does not answer, and shows all exchanges of one that is started again', async () => {
    const port = String(await findFreePort())
    const { page, command, send, close } = await openDashboard('/traffic', ['--port', port])
    const rows = page.locator('tbody tr.link-row')
    await send('/pets?limit=1', { key: 'sk_sandbox_free' })
    await rows.first().waitFor()

    await command.stop()
    await page.getByText('The sandbox does not answer. Trying again…').waitFor()
    expect(await page.locator('main.stale').count()).toBe(1)
    await page.getByRole('button', { name: 'Freeze' }).click()
    const message = page.locator('.toast').getByText('Cannot reach the sandbox')
    await message.waitFor()
    expect(await message.innerText()).not.toContain('--control-origin')
    const again = await startCommand(['--port', port, '--log', 'json'])
    for (const limit of [2, 3, 4]) await fetch(`${again.base}/pets?limit=${limit}`)
    await page.getByText('The sandbox does not answer').waitFor({ state: 'detached' })
    await message.waitFor({ state: 'detached' })
    await rows.nth(2).waitFor()
    await page.getByText('limit=1').waitFor({ state: 'detached' })

    expect((await rows.allInnerTexts()).map((text) => /limit=\d/.exec(text)?.[0])).toEqual([
      'limit=4',
      'limit=3',
      'limit=2',
    ])
    await again.stop()
    await close()
  })

  test('asks for the token once, and keeps it for the tab', async () => {
    const { page, close } = await openDashboard('/keys', ['--control-token', 'a-secret-token'])
    await page.getByRole('article').first().waitFor()

    await page.setExtraHTTPHeaders(FORWARDED)
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await page.reload()
    const dialog = page.getByRole('dialog', { name: 'This sandbox needs a token' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Token').fill('wrong-token')
    await dialog.getByRole('button', { name: 'Use token' }).click()
    await dialog.waitFor()
    await dialog.getByLabel('Token').fill('a-secret-token')
    await dialog.getByRole('button', { name: 'Use token' }).click()
    await page.getByRole('article').first().waitFor()
    await page.reload()
    await page.getByRole('article').first().waitFor()

    await page.getByRole('link', { name: 'Worlds' }).click()
    await page.getByRole('table', { name: 'Worlds' }).waitFor()
    await page.reload()
    await page.getByRole('table', { name: 'Worlds' }).waitFor()

    expect(await dialog.count()).toBe(0)
    // Every page of the origin can read it, such as a response of the API.
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).toBe(
      '[{},{}]',
    )
    expect([page.url(), ...addresses].join(' ')).not.toContain('secret-token')
    await close()
  })

  test('copies a request as a curl command, and says that a long body is not kept', async () => {
    const { page, origin, send, show, close } = await openDashboard('/traffic')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    const headers = { 'Content-Type': 'application/json' }
    const write = (name: string): Promise<number> =>
      send('/pets', {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, categoryId: 2 }),
        key: 'sk_sandbox_free',
      })
    await write("Rex's brother")
    await write('x'.repeat(20_000))

    await show('/traffic/1')
    const exchange = page.getByRole('region', { name: 'Exchange 1' })
    await exchange.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied.').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    await show('/traffic/2')
    await page.getByRole('region', { name: 'Exchange 2' }).waitFor()
    await page.getByRole('button', { name: 'Send again…' }).click()
    await page.getByText('The journal did not keep the body').waitFor()
    await page.getByText('The request had …free').waitFor()

    expect(command).toContain(`curl -i -X POST ${origin}/v1/pets`)
    expect(command).toContain("Authorization: Bearer YOUR_KEY'")
    expect(command).toContain(`Rex'\\''s brother`)
    await close()
  })

  test('has a form for plans when the sandbox has none, and then shows the keys', async () => {
    const { page, client, send, close } = await openDashboard('/keys', ['src/testing/library.yaml'])
    await page.getByRole('heading', { name: 'No plans' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('heading', { name: 'No plans' }).waitFor()

    await page.getByLabel('Name of the plan').fill('gold')
    await page.getByLabel('Requests per minute').fill('many')
    await page.getByRole('button', { name: 'Save plan' }).click()
    await page.getByText('It must be an integer ≥ 1.').first().waitFor()
    await page.getByLabel('Requests per minute').fill('5')
    await page.getByLabel('Requests per day').fill('50')
    await page.getByRole('button', { name: 'Save plan' }).click()
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
    await page.getByLabel('New key').fill('my-key')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('article', { name: 'my-key' }).waitFor()
    await send('/books', { key: 'another-key' })
    await page.getByRole('article', { name: '…-key' }).waitFor()

    expect(await client.plans()).toEqual([{ name: 'gold', minute: 5, day: 50 }])
    await close()
  })

  test('fills in no key while none works, and then the one that does', async () => {
    const { page, client, send, close } = await openDashboard('/traffic', [
      ...['src/testing/library.yaml', '--auth', 'keys'],
    ])
    expect(await send('/books')).toBe(401)
    await page.getByRole('link', { name: /GET \/books/ }).click()
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })
    expect(await form.getByLabel('API key').inputValue()).toBe('')
    await form.getByText('No key works yet: add one in Keys.').waitFor()
    await client.setPlan('gold', { minute: 5, day: 50 })
    await client.setKey('mine', 'gold')
    await page.reload()
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    expect(await form.getByLabel('API key').inputValue()).toBe('mine')
    await form.getByRole('button', { name: 'Send request' }).click()

    await form.getByRole('region', { name: 'Response now' }).getByText('200').first().waitFor()
    await close()
  })

  test('draws the requests of a period', async () => {
    const { page, client, send, close } = await openDashboard('/timeline')
    await client.clock.set('2027-03-01T12:00:00Z')
    await send('/pets', { key: 'sk_sandbox_free' })
    const chart = page.getByRole('region', { name: 'Chart' })
    await chart.waitFor()

    await page.getByLabel('Period').selectOption('minute')
    await page.waitForURL(/period=minute/)
    await chart.getByText(/key …free .*1 request/).waitFor()
    await client.clock.advance('2m')
    await page.getByText('No requests in this period').waitFor()
    await page.getByLabel('Period').selectOption('10-minutes')

    await chart.waitFor()
    await close()
  })
})
