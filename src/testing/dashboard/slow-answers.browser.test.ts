import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenedDashboard, openDashboard } from './dashboard.ts'

describe('the dashboard, while answers are slow', () => {
  let dashboard: OpenedDashboard

  const rows = () => dashboard.page.locator('tbody tr.link-row')

  beforeAll(async () => {
    dashboard = await openDashboard('/records/pets', ['--records', '150'])
  })
  afterAll(() => dashboard.close())

  test('shows the range of the records that it shows', async () => {
    const { page } = dashboard
    await page.getByText('1–100 of 150 records').waitFor()
    const answers = await holdAnswers(page, /\/records\/pets\?.*skip=100/)

    await page.getByRole('button', { name: 'Next' }).click()
    await expect.poll(answers.count, { timeout: 30_000 }).toBe(1)
    expect(await page.getByText('1–100 of 150 records').count()).toBe(1)
    expect((await rows().first().innerText()).trim()).toMatch(/^1\s/)
    await answers.release()
    await page.getByText('101–150 of 150 records').waitFor()

    expect((await rows().first().innerText()).trim()).toMatch(/^101\s/)
  })

  test('shows the first records of a page before all of them', async () => {
    const { page, show } = dashboard
    await show('/traffic')
    const answers = await holdAnswers(page, /\/records\/pets\?.*limit=101/)

    await show('/records/pets')
    await page.getByText('1–10 of 150 records').waitFor()
    expect(await rows().count()).toBe(10)
    await expect.poll(answers.count, { timeout: 30_000 }).toBe(1)
    await answers.release()

    await page.getByText('1–100 of 150 records').waitFor()
    expect(await rows().count()).toBeGreaterThan(10)
  })

  test('shows the collections that are found until now, before all are found and counted', async () => {
    const { page, show } = dashboard
    await show('/traffic')
    const answers = await holdAnswers(page, /\/records$/)

    await show('/records')
    await rows().first().waitFor()
    expect(await page.getByText('1 collection · counting their records…').count()).toBe(1)
    await answers.release()
    await page.getByText('1 collection', { exact: true }).waitFor()

    expect(await rows().first().innerText()).toMatch(/pets\s+150/)
  })

  test('shows a first request before it is known what the operations do', async () => {
    const { page, show } = dashboard
    const answers = await holdAnswers(page, /\/operations$/)

    await show('/traffic')
    await page.getByRole('button', { name: 'Send it for me' }).waitFor()
    expect(await page.getByText(/^curl /).innerText()).toContain('/v1/pets')
    await answers.release()
  })

  test('shows the operations, and the page of one, before it is known what they do', async () => {
    const { page, show } = dashboard
    await show('/traffic')
    const answers = await holdAnswers(page, /\/operations$/)

    await show('/operations')
    await page.getByText('3 of 3 operations · finding out what they do…').waitFor()
    expect(await rows().count()).toBe(3)
    await show('/operations/createPet')
    await page.getByRole('button', { name: 'Send request' }).waitFor()
    await answers.release()
    await show('/operations')
    await page.getByText('3 of 3 operations', { exact: true }).waitFor()

    expect(await rows().first().innerText()).toMatch(/list\s+sure/)
  })

  test('asks for the number of records after the collections that are found until now are shown', async () => {
    const { page, show } = dashboard
    await show('/traffic')
    const early = await holdAnswers(page, /\/records\?wait=/)
    const all = await holdAnswers(page, /\/records$/)

    await show('/records')
    await expect.poll(early.count, { timeout: 30_000 }).toBe(1)
    expect(all.count()).toBe(0)
    await early.release()
    await expect.poll(all.count, { timeout: 30_000 }).toBe(1)
    await all.release()

    await page.getByText('1 collection', { exact: true }).waitFor()
  })

  test('loads the view that is opened while it asks for the state of the sandbox', async () => {
    const { page } = dashboard
    const answers = await holdAnswers(page, /\/health$/)
    const loaded = page.waitForResponse(/\/dashboard\/views[^/]*\.js$/)

    await page.reload()
    await loaded
    await expect.poll(answers.count, { timeout: 30_000 }).toBe(1)
    await answers.release()

    await rows().first().waitFor()
  })

  test('does not take its own edit of a record for the change of another client', async () => {
    const { page, show, client } = dashboard
    await show('/records/pets?record=9')
    const record = page.getByRole('region', { name: 'Record 9', exact: true })
    const warning = record.getByText('The record has changed')
    await record.getByLabel('name *').fill('Rex')
    const answers = await holdAnswers(page, /\/records\/pets\/9$/)

    await record.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The record 9 is saved.').waitFor()
    expect(await warning.count()).toBe(0)
    await answers.release()
    await record.getByRole('button', { name: 'Save changes', disabled: false }).waitFor()
    expect(await warning.count()).toBe(0)

    await client.collection('pets').update(9, { name: 'Max' })
    await warning.waitFor()
  })

  test('ignores an answer that comes after the answer to a later request', async () => {
    const { page, show, client } = dashboard
    await show('/outcomes')
    const rules = page.getByRole('region', { name: 'Forced outcomes' })
    await client.force('not-found', { operation: 'listPets' })
    await rules.getByText('on listPets').waitFor()
    const early = await holdAnswers(page, /\/outcomes$/)
    await expect.poll(early.count, { timeout: 30_000 }).toBe(1)
    early.stop()

    await rules.getByRole('button', { name: 'Remove not-found on listPets' }).click()
    await rules.getByText('No outcome is forced').waitFor()
    const next = await holdAnswers(page, /\/outcomes$/)
    await early.release()
    // After a slow answer, the page waits longer.
    await expect.poll(next.count, { timeout: 30_000 }).toBe(1)
    expect(await rules.getByText('on listPets').count()).toBe(0)

    await next.release()
  })
})

/** The answers to what a page reads, which it gets later. */
interface HeldAnswers {
  readonly count: () => number
  /** Holds no further answers. */
  readonly stop: () => void
  /** Lets the page have all of them. */
  readonly release: () => Promise<void>
}

/** Holds the answers to what the page reads from addresses that match, from now on. */
async function holdAnswers(page: Page, address: RegExp): Promise<HeldAnswers> {
  const held: (() => Promise<void>)[] = []
  let isHolding = true
  let isReleased = false
  await page.route(address, async (route) => {
    if (!isHolding || route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    const give = (): Promise<void> => route.fulfill({ response })
    // All may have been released in the meantime.
    if (isReleased) return give()
    held.push(give)
  })

  return {
    count: () => held.length,
    // Playwright continues the held requests when their route is removed.
    stop: () => {
      isHolding = false
    },
    release: async () => {
      isHolding = false
      isReleased = true
      for (const give of held) await give()
    },
  }
}
