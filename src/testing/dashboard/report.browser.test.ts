import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'
import { type SavedFile, saveDownload } from './save-download.ts'

const KEY = 'sk_sandbox_free'
const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

describe('the report in the dashboard', () => {
  let dashboard: OpenedDashboard

  const section = (name: string) => dashboard.page.getByRole('region', { name, exact: true })
  const refresh = () => dashboard.page.getByRole('button', { name: 'Refresh report' }).click()

  beforeAll(async () => {
    dashboard = await openDashboard('/report')
  })
  afterAll(() => dashboard.close())

  test('is empty before the first request', async () => {
    await dashboard.page.getByText('No requests yet').waitFor()

    expect(await section('Verdict').innerText()).toMatch(
      /Passed\s+No finding makes the report fail/,
    )
    expect(await section('Coverage').innerText()).toContain('Coverage 0 %')
  })

  test('says that requests came since it was made, and reports on them when it is refreshed', async () => {
    const { send } = dashboard

    await send('/pets')
    await section('Verdict').getByText('1 request came since').waitFor()
    await refresh()
    await section('Findings')
      .getByText('1 request was sent without an API key, and none with a valid one.')
      .waitFor()

    expect(await section('Findings').innerText()).toContain('RFC 9110, section 15.5.2')
    expect(await section('Coverage').innerText()).toMatch(/listPets\s+GET \/pets\s+1 request/)
  })

  test('fails when a client does not wait, and links to the exchanges', async () => {
    const { send, client, page, show } = dashboard
    // A minute might end between the two requests.
    await client.setRemaining(KEY, { day: 0 })

    await send('/pets', { key: KEY })
    // By then, the client has seen the response, whatever connection it sends the next request on.
    await setTimeout(300)
    await send('/pets', { key: KEY })
    await refresh()
    await section('Verdict').getByText('1 violation of early-retry').waitFor()
    expect(await section('Findings').innerText()).toContain('makes the report fail')
    await section('Findings').getByRole('link', { name: '#3' }).first().click()

    await page.getByRole('region', { name: 'Exchange 3' }).waitFor()
    await show('/report')
  })

  test('says which plan the traffic needs, and how each key used each operation', async () => {
    expect(await section('Plans').innerText()).toMatch(/This traffic fits free/)
    expect(await section('Plans').innerText()).toMatch(/free\s+sufficient\s+60\s+1,000/)

    const usage = await section('Requests by key and operation').innerText()

    expect(usage).toMatch(/…free\s+listPets\s+2\s+2\s+1/)
  })

  test('fails on what is chosen, which is kept in the address', async () => {
    const { page, show } = dashboard

    await page.getByLabel('Fails on').selectOption('none')
    await section('Verdict').getByText('Not judged').first().waitFor()
    await page.waitForURL(/failOn=none/)
    await page.getByLabel('Minimum coverage').fill('99')
    await section('Verdict').getByText('but must be at least 99 %').waitFor()
    await page.getByLabel('Minimum coverage').fill('101')
    await page.getByText('minCoverage').waitFor()

    await show('/report')
  })

  test('is saved as HTML, JSON and JUnit', async () => {
    const html = await save('HTML')
    const junit = await save('JUnit')
    const json = await save('JSON')

    expect(html.name).toBe('report-default.html')
    expect(html.text).toMatch(/^<!doctype html>/i)
    expect(junit.name).toBe('report-default.xml')
    expect(junit.text).toMatch(/^<\?xml/)
    expect(json.name).toBe('report-default.json')
    expect(JSON.parse(json.text)).toMatchObject({ verdict: 'failed', requests: 3 })
  })

  test('links to the timeline', async () => {
    const { page, show } = dashboard

    await page.getByRole('link', { name: 'Show the timeline' }).click()
    await page.waitForURL(/#\/timeline/)

    await show('/report')
  })

  test('shows hostile text as text', async () => {
    const { page, send } = dashboard

    await send(`/pets?${encodeURIComponent(HOSTILE)}=1`, { key: HOSTILE })
    await send(`/pets?${encodeURIComponent(HOSTILE)}=1`, { key: 'sk_sandbox_pro' })
    await refresh()
    await section('Findings').getByText('<img src=x').first().waitFor()

    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()
  })

  test('has no accessibility problem, and no error', async () => {
    const { page, pageErrors } = dashboard

    expect(await accessibilityProblems(page)).toEqual([])
    expect(pageErrors).toEqual([])
  })

  function save(format: string): Promise<SavedFile> {
    const { page } = dashboard
    const button = page.getByRole('button', { name: `Download ${format}` })
    return saveDownload(page, () => button.click())
  }
})
