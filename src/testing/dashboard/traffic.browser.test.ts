import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'
import { saveDownload } from './save-download.ts'

const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

const JSON_TYPE = { 'Content-Type': 'application/json' }

describe('the traffic in the dashboard', () => {
  let dashboard: OpenedDashboard

  const rows = () => dashboard.page.locator('tbody tr.link-row')

  beforeAll(async () => {
    dashboard = await openDashboard('/traffic')
  })
  afterAll(() => dashboard.close())

  test('lists each exchange as it happens, newest first', async () => {
    const { send, page } = dashboard
    await page.getByText('No requests yet').waitFor()
    expect(await page.locator('.empty pre').innerText()).toMatch(/^curl .*\/v1\/pets/)
    await page.getByRole('button', { name: 'Copy key' }).waitFor()
    await page.getByRole('button', { name: 'Send it for me' }).click()
    await page.getByText('Sent. The status is 200.').waitFor()
    await expect.poll(() => page.locator('.counts').innerText()).toMatch(/^1 request ·/)
    await dashboard.client.reset()
    await page.getByText('No requests yet').waitFor()

    await send('/pets?limit=3', { key: 'sk_sandbox_free' })
    await send('/pets')
    await rows().nth(1).waitFor()

    expect(await rows().first().innerText()).toMatch(/GET \/pets\s+401\s+listPets\s+unauthorized/)
    expect(await rows().nth(1).innerText()).toMatch(/GET \/pets\?limit=3\s+200\s+listPets/)
  })

  test('filters by status and text, and keeps the filter in the address', async () => {
    const { page, show } = dashboard
    expect(await page.locator('.menu-list input').count()).toBe(0)

    await page.getByText('All statuses').click()
    await page.getByRole('checkbox', { name: '4xx' }).check()
    await page.getByText('1 match').waitFor()
    expect(await rows().count()).toBe(1)
    await page.waitForURL(/status=4xx/)
    await page.getByRole('checkbox', { name: '200' }).check()
    await page.getByText('1 match').waitFor({ state: 'detached' })
    expect(await rows().count()).toBe(2)
    await page.getByRole('checkbox', { name: '200' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: '4xx' }).waitFor({ state: 'hidden' })

    await page.getByLabel('Text').fill('nothing')
    await page.getByText('No exchange matches the filter').waitFor()
    await show('/traffic?text=limit%3D3')
    await page.getByText('1 match').waitFor()
    expect(await rows().first().innerText()).toContain('limit=3')
    await show('/traffic')
  })

  test('is searched once for letters that are typed one after the other', async () => {
    const { page, show } = dashboard
    const searches = await page.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>('main input[type="search"]')
      let count = 0
      addEventListener('hashchange', () => {
        count += 1
      })
      for (const text of ['l', 'li', 'lim', 'limit=3']) {
        if (field) field.value = text
        field?.dispatchEvent(new InputEvent('input', { bubbles: true }))
        await Promise.resolve()
      }
      await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
      return count
    })

    expect(searches).toBe(1)
    expect(page.url()).toContain('text=limit%3D3')
    await page.getByText('1 match').waitFor()
    await show('/traffic')
  })

  test('can be paused, cleared and saved, and shows readable paths', async () => {
    const { page, send } = dashboard
    const before = await rows().count()

    await page.getByRole('button', { name: 'Pause' }).click()
    await send('/pets/caf%C3%A9%2Fa', { key: 'sk_sandbox_free' })
    await page.getByRole('button', { name: 'Show the newest exchanges' }).waitFor()
    expect(await rows().count()).toBe(before)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('The journal keeps them').waitFor()
    expect(await rows().count()).toBe(0)
    await page.getByRole('button', { name: 'Show them again' }).click()
    await page.getByRole('button', { name: 'Resume' }).first().click()
    await page.getByText('/pets/café%2Fa').waitFor()

    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('The journal keeps them').waitFor()
    expect(await rows().count()).toBe(0)
    await page.getByRole('button', { name: 'Show them again' }).click()
    await rows().nth(before).waitFor()

    const button = page.getByRole('button', { name: 'Save HAR' })
    const { name, text } = await saveDownload(page, () => button.click())
    expect(name).toBe('traffic-default.har')
    expect(JSON.parse(text).log.entries).toHaveLength(before + 1)
  })

  test('opens an exchange with its request, response, reason and quota', async () => {
    const { page } = dashboard

    await rows().nth(1).click()
    const panel = page.getByRole('region', { name: 'Exchange 2' })
    await panel.getByText('Why it was refused').waitFor()

    expect(await panel.innerText()).toMatch(/RFC 9110, section 15.5.2/)
    await page.waitForURL(/#\/traffic\/2/)
    await page.getByRole('link', { name: /limit=3/ }).click()
    const other = page.getByRole('region', { name: 'Exchange 1' })
    await other.getByRole('region', { name: 'Quota' }).waitFor()
    expect(await other.innerText()).toMatch(/in the minute\s+60\s+59/)
    expect(await other.innerText()).toContain('Bearer …free')
    await other.getByRole('link', { name: 'Close' }).click()
    await other.waitFor({ state: 'detached' })
  })

  test('sends a request again with the key that is chosen', async () => {
    const { page, show, client } = dashboard
    const last = await client.journal.last()
    await show('/traffic/2')

    await page.getByRole('button', { name: 'Send again…' }).click()
    await page.getByLabel('API key').fill('sk_sandbox_pro')
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByText('Sent GET again. The status is 200.').waitFor()

    const sent = await client.journal.waitFor({ operation: 'listPets', after: last })
    expect(sent).toMatchObject({ status: 200, key: '…_pro' })
  })

  test('forces another answer on the requests of a row, and removes it', async () => {
    const { page, send, client } = dashboard
    const button = page.getByRole('button', { name: 'Break listPets' }).first()

    await button.click()
    const dialog = page.getByRole('dialog', { name: 'Break listPets' })
    await dialog.getByLabel('Answer').selectOption('429, documented')
    await dialog.getByLabel('How often').selectOption('on the next requests')
    await dialog.getByLabel('Number of requests').fill('0')
    await dialog.getByRole('button', { name: 'Force answer' }).click()
    await dialog.getByText('It must be an integer ≥ 1.').waitFor()
    await dialog.getByLabel('Number of requests').fill('2')
    await dialog.getByRole('button', { name: 'Force answer' }).click()
    await dialog.waitFor({ state: 'detached' })

    expect(await client.forced()).toMatchObject([
      { operation: 'listPets', status: 429, times: 2, forced: 0 },
    ])
    expect(await send('/pets', { key: 'sk_sandbox_pro' })).toBe(429)
    await button.and(page.locator(':focus')).waitFor()

    await page.getByRole('link', { name: '1 forced' }).waitFor()
    await page.getByRole('banner').getByRole('button', { name: 'Remove all forced' }).click()
    await page.getByRole('link', { name: '1 forced' }).waitFor({ state: 'detached' })
    expect(await client.forced()).toEqual([])
  })

  test('the dialog of a row stays open when newer requests push the row out of sight', async () => {
    const { page, send } = dashboard
    await page.getByRole('button', { name: 'Break listPets' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Break listPets' })
    await dialog.getByLabel('Delay').fill('2s')

    const sent = Array.from({ length: 60 }, (_, at) => send(`/unknown/${at}`))
    await Promise.all(sent)
    await page.getByText('GET /unknown/').nth(20).waitFor()
    // No rule is for requests that no operation has.
    expect(await page.getByRole('button', { name: 'Break GET /unknown' }).count()).toBe(0)

    expect(await dialog.getByLabel('Delay').inputValue()).toBe('2s')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('corrects a refused request, and shows both responses', async () => {
    const { page, send, client, show } = dashboard
    const body = JSON.stringify({ name: 7, categoryId: 1, note: 'kept' })
    await send('/pets', { method: 'POST', key: 'sk_sandbox_pro', body, headers: JSON_TYPE })
    await show(`/traffic/${await client.journal.last()}`)

    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })
    expect(await form.getByLabel('API key').inputValue()).toBe('sk_sandbox_pro')
    expect(await form.getByLabel('body.name').inputValue()).toBe('7')
    await form.getByText(/Allowed: string/).waitFor()
    await form.getByLabel('body.name').fill('Luna')
    await form.getByRole('button', { name: 'Send request' }).click()

    const now = form.getByRole('region', { name: 'Response now' })
    await now.getByText('201').first().waitFor()
    expect(await now.innerText()).toContain('"Luna"')
    const before = form.getByRole('region', { name: 'Response before' })
    const size = page.viewportSize() ?? { width: 1280, height: 900 }
    for (const [width, isBeside] of [
      [390, false],
      [1024, true],
      [size.width, true],
    ] as const) {
      await page.setViewportSize({ ...size, width })
      const [left, right] = [await before.boundingBox(), await now.boundingBox()]
      expect(right?.y === left?.y).toBe(isBeside)
    }
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await before.innerText()).toContain('invalid_request')
    expect(await client.journal.get(await client.journal.last())).toMatchObject({
      status: 201,
      request: { body: JSON.stringify({ name: 'Luna', categoryId: 1, note: 'kept' }, null, 2) },
    })
  })

  test('corrects the method that a path does not have, and marks the key that is missing', async () => {
    const { page, send, client, show } = dashboard
    await send('/pets', { method: 'PATCH', key: 'sk_sandbox_pro' })
    await show(`/traffic/${await client.journal.last()}`)
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })

    await form.getByText('Allowed: GET, HEAD, POST, OPTIONS').waitFor()
    await form.getByLabel('method').selectOption('GET')
    await form.getByRole('button', { name: 'Send request' }).click()
    const now = form.getByRole('region', { name: 'Response now' })
    await now.getByText('200').first().waitFor()

    await send('/pets')
    await show(`/traffic/${await client.journal.last()}`)
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    await form.locator('.wrong-value').getByLabel('API key').waitFor()
    expect(await form.getByLabel('API key').inputValue()).toBe('sk_sandbox_free')
  })

  test('adds the body that a refused request lacks, and keeps the field while it is empty', async () => {
    const { page, send, client, show } = dashboard
    await send('/pets', { method: 'POST', key: 'sk_sandbox_pro' })
    await show(`/traffic/${await client.journal.last()}`)
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })
    const body = form.getByLabel('Body', { exact: true })

    await body.fill('{}')
    await body.fill('')
    await body.fill('{"name":"Luna","categoryId":1}')
    await form.getByRole('button', { name: 'Send request' }).click()

    await form.getByRole('region', { name: 'Response now' }).getByText('201').first().waitFor()
  })

  test('has a valid body in place of one that was too large', async () => {
    const { page, send, client, show } = dashboard
    const large = { method: 'POST', key: 'sk_sandbox_pro', body: 'x'.repeat(1_100_000) }
    await send('/pets', { ...large, headers: { 'Content-Type': 'application/json' } })
    await show(`/traffic/${await client.journal.last()}`)
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })
    await form.getByText('The journal did not keep the body').waitFor()

    await form.getByRole('button', { name: 'Send request' }).click()

    await form.getByRole('region', { name: 'Response now' }).getByText('201').first().waitFor()
  })

  test('moves the clock to where a refused key is served again', async () => {
    const { page, send, client, show } = dashboard
    await client.setRemaining('sk_sandbox_pro', { minute: 0 })
    await send('/pets', { key: 'sk_sandbox_pro' })
    await show(`/traffic/${await client.journal.last()}`)
    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })

    await form.getByRole('button', { name: 'Move the clock to the reset' }).click()
    await page.getByText('The clock is moved').waitFor()
    await form.getByRole('button', { name: 'Send request' }).click()

    await form.getByRole('region', { name: 'Response now' }).getByText('200').first().waitFor()
  })

  test('shows the whole badge of a request without a response', async () => {
    const { page, send, client, show } = dashboard
    await client.force('reset', { operation: 'listPets', times: 1 })
    await send('/pets', { key: 'sk_sandbox_pro' }).catch(() => undefined)
    await show('/traffic')
    // A list that was scrolled before, such as by the focus, holds still.
    await page.reload()

    const cell = rows().first().getByRole('cell', { name: 'no response' })
    await cell.waitFor()

    expect(await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.getByRole('link', { name: '1 forced' }).waitFor({ state: 'detached' })
  })

  test.each([810, 1024, 1280, 1440])('shows the whole reason at %i px', async (width) => {
    const { page, send, show } = dashboard
    const { height = 900, width: before = 1280 } = page.viewportSize() ?? {}
    await send('/pets', { key: 'sk_sandbox_rate_limited' })
    await show('/traffic')
    await page.setViewportSize({ width, height })

    const reason = rows().first().getByRole('cell', { name: 'rate_limit_exceeded' })
    await reason.waitFor()

    expect(await reason.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    )
    await page.setViewportSize({ width: before, height })
  })

  test('closes what is open by Escape, and gives the focus back', async () => {
    const { page, show } = dashboard
    await show('/traffic')
    // A row that arrives meanwhile is the first one afterwards.
    const address = await rows().first().getByRole('link').getAttribute('href')
    const link = page.locator(`tbody a[href="${address}"]`)

    await link.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send again…' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send again…' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send again…' }).waitFor({ state: 'detached' })

    await link.and(page.locator(':focus')).waitFor()

    // A click on plain text gives the focus to the page.
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send again…' }).waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send again…' }).waitFor({ state: 'detached' })

    await link.and(page.locator(':focus')).waitFor()
  })

  test('folds long headers and addresses, also in a dialog', async () => {
    const { client, page, send, show } = dashboard
    await client.reset()
    const agent = 'agent-'.repeat(100)
    await send(`/nowhere/${'deep/'.repeat(80)}`, { headers: { 'User-Agent': agent } })
    const id = await client.journal.last()

    await show(`/traffic/${id}`)
    const panel = page.getByRole('region', { name: `Exchange ${id}` })
    const header = panel.locator('.headers > div', { hasText: 'user-agent' })
    await header.getByText('Show all 600 characters').waitFor()
    expect((await header.boundingBox())?.height).toBeLessThan(160)
    await header.getByText('Show all 600 characters').click()
    await header.getByText(agent, { exact: true }).waitFor()
    await panel.getByRole('button', { name: 'Send again…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('API key').waitFor()
    const { scroll = 0, client: own = 0 } = await dialog.evaluate((element) => ({
      scroll: element.scrollWidth,
      client: element.clientWidth,
    }))
    expect(scroll).toBe(own)
    expect((await dialog.getByText('/nowhere/deep').boundingBox())?.height).toBeLessThan(120)
    await page.keyboard.press('Escape')
  })

  test('shows hostile text as text', async () => {
    const { page, send, client, show } = dashboard
    const last = await client.journal.last()

    await send(`/${encodeURIComponent(HOSTILE)}?${HOSTILE}`, {
      method: 'POST',
      body: JSON.stringify({ name: HOSTILE, [HOSTILE]: HOSTILE }),
      headers: { 'Content-Type': 'application/json', 'X-Text': HOSTILE },
      key: 'sk_sandbox_free',
    })
    await show(`/traffic/${last + 1}`)
    const panel = page.getByRole('region', { name: `Exchange ${last + 1}` })
    await panel.getByText('X-Text').or(panel.getByText('x-text')).first().waitFor()

    expect(await panel.innerText()).toContain(HOSTILE)
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()
  })

  test('draws newer requests with the elements of rows that go out of sight, but not of one with the focus', async () => {
    const { client, page, send, show } = dashboard
    const sendMany = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 40 }, () => send('/pets/1')))
      const last = await client.journal.last()
      await rows().first().getByText(String(last), { exact: true }).waitFor()
    }
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.getAttribute('href') ?? '')
    await show('/traffic')
    await page.setViewportSize({ width: 1440, height: 900 })
    await sendMany()
    const isFirstKept = async (): Promise<boolean | undefined> => {
      const first = await page.evaluateHandle(() => document.querySelector('tr.link-row'))
      await sendMany()
      return await first.evaluate((row) => row?.isConnected)
    }

    expect(await isFirstKept()).toBe(true)
    await rows().first().locator('a').focus()
    const before = await focused()
    await send('/pets/1')
    const last = await client.journal.last()
    await rows().first().getByText(String(last), { exact: true }).waitFor()
    expect(await focused()).toBe(before)
    await sendMany()
    expect(await focused()).not.toMatch(/traffic\/\d/)
    expect(await isFirstKept()).toBe(true)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('freezes, advances and resumes the clock', async () => {
    const { page, client } = dashboard
    const clock = page.getByRole('region', { name: 'Clock' })

    await clock.getByRole('button', { name: 'Freeze' }).click()
    await clock.getByText('frozen').waitFor()
    const frozenAt = await client.clock.now()
    await clock.getByLabel('Advance by').fill('1 hour')
    await clock.getByRole('button', { name: 'Advance' }).click()
    await clock.getByText('it is not a duration').waitFor()
    await clock.getByLabel('Advance by').fill('1h')
    await clock.getByRole('button', { name: 'Advance' }).click()
    await page.getByText('Advanced by 1h.').waitFor()
    expect(await client.clock.now()).toBe(frozenAt + 3_600_000)

    await clock.getByRole('button', { name: 'Resume' }).click()
    await clock.getByRole('button', { name: 'Freeze' }).waitFor()
    expect(await client.clock.isFrozen()).toBe(false)
  })

  test('has no accessibility problem, and no error', async () => {
    const { page, show, pageErrors } = dashboard

    await show('/traffic/1')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(pageErrors).toEqual([])
  })
})
