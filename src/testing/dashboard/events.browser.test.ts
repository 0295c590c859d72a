import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'

const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

describe('the events in the dashboard', () => {
  let dashboard: OpenedDashboard
  const got: (string | undefined)[] = []
  const receiver = createServer((request, response) => {
    got.push(request.headers['webhook-signature']?.toString())
    response.end(HOSTILE)
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const hook = ['--webhook', `http://127.0.0.1:${port}/hooks`]
    dashboard = await openDashboard('/events', ['src/testing/shop-events.yaml', ...hook])
  })
  afterAll(async () => {
    await dashboard.close()
    receiver.close()
  })

  test('are sent by hand, and say what is wrong with a name', async () => {
    const { page } = dashboard
    const form = page.getByRole('form', { name: 'Send an event' })
    await page.getByText('No events yet').waitFor()

    await form.getByRole('button', { name: 'Send event' }).click()
    await form.getByText('Type the name of an event.').waitFor()
    await form.getByLabel('Name').fill('order.createt')
    await form.getByRole('button', { name: 'Send event' }).click()
    await form.getByText('Did you mean "order.created"?').waitFor()
    await form.getByLabel('Name').fill('order.created')
    await form.getByLabel('Data').fill('no JSON')
    await form.getByRole('button', { name: 'Send event' }).click()
    await form.getByText('It is not JSON.').waitFor()
    await form.getByLabel('Data').fill('')
    await form.getByRole('button', { name: 'Send event' }).click()

    await page.getByRole('link', { name: 'order.created' }).waitFor()
    await expect.poll(() => got.length).toBe(1)
  })

  test('show what was sent and answered, and are sent again with a forged signature', async () => {
    const { page, client } = dashboard

    const [{ event } = { event: { at: 0 } }] = await client.events.deliveries()
    const time = new Date(event.at).toISOString().slice(11, 23)
    await page.getByRole('row').filter({ hasText: 'order.created' }).getByText(time).waitFor()
    await page.getByRole('link', { name: 'order.created' }).click()
    const panel = page.getByRole('region', { name: 'Delivery 1' })
    await panel.getByText('delivered').waitFor()
    await panel.getByText('is the base64 of an HMAC-SHA256').waitFor()
    expect(
      await panel.getByRole('region', { name: 'Attempt 1', exact: true }).innerText(),
    ).toContain(HOSTILE)
    await panel.getByRole('button', { name: 'Send a forged one' }).click()
    await page.getByText('with a forged signature.').waitFor()

    await expect.poll(() => got.length).toBe(2)
    expect(got[1]).not.toBe(got[0])
    const [, forged] = await client.events.deliveries()
    expect(forged).toMatchObject({ fault: 'wrong-signature', event: { type: 'order.created' } })
  })

  test('are delivered with a fault that is forced on deliveries', async () => {
    const { page, client, show } = dashboard
    const before = got.length
    await show('/outcomes')
    const form = page.getByRole('form', { name: 'Force an outcome' })
    await form.getByLabel('Outcome', { exact: true }).selectOption('delivery')
    await form.getByLabel('Fault of the delivery').selectOption('twice')
    await form.getByLabel('Event', { exact: true }).fill('order.createt')
    await form.getByRole('button', { name: 'Force outcome' }).click()
    await form.getByText('Did you mean "order.created"?').waitFor()
    await form.getByLabel('Event', { exact: true }).fill('order.*')
    await form.getByLabel('Times').fill('1')
    expect(await accessibilityProblems(page)).toEqual([])
    await form.getByRole('button', { name: 'Force outcome' }).click()
    await page.getByText('twice is forced.').waitFor()
    await page
      .getByRole('region', { name: 'Forced outcomes' })
      .getByText('delivery twice')
      .waitFor()

    await client.events.emit('order.created')
    await expect.poll(() => got.length).toBe(before + 2)
  })

  test('have no accessibility problem, and no error', async () => {
    const { page, show, pageErrors } = dashboard

    for (const view of ['/events', '/events/1', '/sign-in']) {
      await show(view)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false)
    expect(pageErrors).toEqual([])
  })
})

describe('sign-in in the dashboard', () => {
  let dashboard: OpenedDashboard

  beforeAll(async () => {
    dashboard = await openDashboard('/sign-in', ['src/testing/notes-sign-in.yaml'])
  })
  afterAll(() => dashboard.close())

  test('has a key to copy for the first request, although no key is listed', async () => {
    const { page, show } = dashboard

    await show('/traffic')
    await page.getByRole('button', { name: 'Copy key' }).waitFor()
    await show('/sign-in')
  })

  test('issues tokens that work, with the scopes that are chosen, and revokes them', async () => {
    const { page, send } = dashboard
    const form = page.getByRole('form', { name: 'Sign in as' })
    const tokens = page.getByRole('region', { name: 'Tokens', exact: true })

    await form.getByRole('checkbox', { name: 'notes:write' }).uncheck()
    await form.getByRole('button', { name: 'Issue tokens' }).click()
    await tokens
      .getByText(/Ends in/)
      .first()
      .waitFor()
    const shown = await form.getByRole('region', { name: 'Issued tokens' }).innerText()
    const key = /sbx_at_\w+/.exec(shown)?.[0] ?? ''

    expect(await send('/notes', { key })).toBe(200)
    expect(await tokens.innerText()).toMatch(/access token .*valid[\s\S]*notes:read notes:share\n/)

    await tokens.getByRole('button', { name: /Revoke the access token/ }).click()
    await tokens.getByText('revoked').first().waitFor()
    expect(await send('/notes', { key })).toBe(401)
  })

  async function issueTo(name: string): Promise<number> {
    const { client, origin } = dashboard
    const { endpoints } = await client.signIn.info()
    const { path = '' } = endpoints.find(({ endpoint }) => endpoint === 'token') ?? {}
    const sent = { grant_type: 'client_credentials', client_id: name, scope: 'notes:read' }
    const response = await fetch(origin + path, {
      method: 'POST',
      body: new URLSearchParams({ ...sent, client_secret: 'shh' }),
    })
    return response.status
  }

  test('folds a long name of a client', async () => {
    const { page } = dashboard
    const name = `client ${'x'.repeat(593)}`

    expect(await issueTo(name)).toBe(200)
    const summary = page.getByText('Show all 600 characters').first()
    await summary.waitFor()
    expect(await page.getByText(name).first().isVisible()).toBe(false)
    await summary.click()

    await page.getByText(name).first().waitFor()
  })

  test('shows the names of clients as they are, apart from the text after them', async () => {
    const { page, pageErrors } = dashboard
    // The character in it would show all that follows from right to left.
    const name = `${HOSTILE}\u202Egnp.exe`

    const status = await issueTo(name)
    const shown = page.locator('bdi').filter({ hasText: HOSTILE }).first()
    await shown.waitFor()
    const rest = shown.locator('xpath=..')

    expect(status).toBe(200)
    expect(await shown.textContent()).toBe(name)
    expect(await rest.textContent()).toBe(`${name} · notes:read`)
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false)
    expect(pageErrors).toEqual([])
  })

  test('suggests the tokens that were issued as keys of a request form', async () => {
    const { page, show } = dashboard
    const form = page.getByRole('form', { name: 'Sign in as' })
    const shown = await form.getByRole('region', { name: 'Issued tokens' }).innerText()

    await show('/operations/listNotes')
    const list = await page.getByLabel('API key').getAttribute('list')
    const suggested = page.locator(`[id="${list}"] option`).first()

    expect(await suggested.getAttribute('value')).toBe(/sbx_at_\w+/.exec(shown)?.[0])
    expect(await suggested.getAttribute('label')).toBe('access token of the first user')
  })

  test('has no accessibility problem, and no error', async () => {
    expect(await accessibilityProblems(dashboard.page)).toEqual([])
    expect(dashboard.pageErrors).toEqual([])
  })
})
