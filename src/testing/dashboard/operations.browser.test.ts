import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'

describe('the operations in the dashboard', () => {
  let dashboard: OpenedDashboard

  const rows = () => dashboard.page.locator('tbody tr.link-row')
  const panel = (id: string) => dashboard.page.getByRole('region', { name: `Operation ${id}` })
  const response = () => dashboard.page.getByRole('region', { name: 'Response', exact: true })
  const open = async (id: string): Promise<void> => {
    await dashboard.show(`/operations/${id}`)
    await dashboard.page.reload()
    await panel(id).getByRole('button', { name: 'Send request' }).waitFor()
  }

  beforeAll(async () => {
    dashboard = await openDashboard('/operations')
  })
  afterAll(() => dashboard.close())

  test('lists each operation with its behaviour and its reason, and searches', async () => {
    const { page } = dashboard
    await rows().nth(2).waitFor()

    expect(await rows().first().innerText()).toMatch(
      /GET \/pets\s+List animals\s+listPets\s+list\s+sure\s+GET on/,
    )
    await page.getByLabel('Text').fill('post pets')
    await page.getByText('1 of 3 operations').waitFor()
    await page.getByLabel('Text').fill('')
    await page.getByLabel('Behaviour').selectOption('read')
    await page.getByText('1 of 3 operations').waitFor()
    expect(await rows().first().innerText()).toContain('deprecated')
    await rows().first().click()
    await panel('getPet').getByText('removed on 2030-12-05').waitFor()
  })

  test('sends a valid request, and shows the response and its exchange', async () => {
    const { page, client } = dashboard
    const before = await client.collection('pets').count()
    await open('createPet')

    await page.getByRole('button', { name: 'Send request' }).click()
    await response().getByText('201').first().waitFor()
    expect(await client.collection('pets').count()).toBe(before + 1)
    expect(await response().innerText()).toMatch(/ms\s+\d+ bytes/)

    await response()
      .getByText(/\d+ headers/)
      .click()
    await response().getByText('x-ratelimit-limit', { exact: true }).waitFor()
    await response().getByRole('link', { name: 'Show exchange' }).click()
    await page.getByRole('region', { name: `Exchange ${await client.journal.last()}` }).waitFor()
  })

  test('sends what is typed, with the key and the preference that are chosen', async () => {
    const { page, client } = dashboard
    await open('getPet')

    await page.getByLabel('petId *').fill('7')
    await page.getByLabel('API key').fill('sk_sandbox_pro')
    await page.getByRole('button', { name: 'Send request' }).click()
    await response().getByText('200').first().waitFor()
    expect(await client.journal.get(await client.journal.last())).toMatchObject({
      target: '/pets/7',
      key: '…_pro',
    })

    await page.getByLabel('Prefer').selectOption('code=404')
    await page.getByRole('button', { name: 'Send request' }).click()
    await response().getByText('404').first().waitFor()
    await page.getByLabel('Prefer').selectOption('outcome=banned')
    await page.getByRole('button', { name: 'Send request' }).click()
    await response().getByText('429').first().waitFor()
    await page.getByLabel('API key').fill('')
    await page.getByLabel('Prefer').selectOption('')
    await page.getByRole('button', { name: 'Send request' }).click()
    await response().getByText('401').first().waitFor()

    await page.getByRole('button', { name: 'Restore values' }).click()
    expect(await page.getByLabel('API key').inputValue()).toBe('sk_sandbox_free')
  })

  test('can stop waiting for a response', async () => {
    const { page, client } = dashboard
    await open('listPets')
    const { id } = await client.force('timeout', { operation: 'listPets' })

    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await response().getByText('No response: You stopped waiting for it.').waitFor()

    await client.unforce(id)
  })

  test('copies the request as curl', async () => {
    const { page, origin } = dashboard
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('createPet')

    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied.').waitFor()
    const text = await page.evaluate(() => navigator.clipboard.readText())

    expect(text).toContain(`curl -i -X POST ${origin}/v1/pets`)
    expect(text).toContain("-H 'Authorization: Bearer sk_sandbox_free'")
  })

  test('links to the document', async () => {
    const { page, show } = dashboard
    await show('/operations')

    for (const name of ['document.json', 'document.yaml', 'openapi.json']) {
      const href = await page.getByRole('link', { name }).getAttribute('href')
      expect([name, (await fetch(href ?? '')).status]).toEqual([name, 200])
    }
  })

  test('says that an operation does not exist, with the nearest name', async () => {
    const { page, show } = dashboard
    const message = panel('listPet').getByText('Did you mean "listPets"')

    await show('/operations/listPet')
    await message.waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    expect((await message.boundingBox())?.height).toBeLessThan(120)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test.each(['/operations', '/operations/createPet'])(
    'has no accessibility problem at %s, and no error',
    async (hash) => {
      const { page, show, pageErrors } = dashboard

      await show(hash)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(pageErrors).toEqual([])
    },
  )
})

describe('operations with own code', () => {
  const EXAMPLES = 'src/testing/guide/examples'
  let dashboard: OpenedDashboard

  const list = () => dashboard.page.getByRole('table', { name: 'Operations' })
  const row = (name: RegExp) => list().getByRole('row', { name })

  beforeAll(async () => {
    const handlers = ['--handlers', `${EXAMPLES}/shop-handlers.ts`]
    dashboard = await openDashboard('/operations', ['serve', `${EXAMPLES}/shop.yaml`, ...handlers])
  })
  afterAll(() => dashboard.close())

  test('say so, and how sure it is what the others do', async () => {
    const { page } = dashboard
    await row(/checkOut .*own code/).waitFor()

    await page.getByLabel('Answered by').selectOption('own code')
    await row(/checkOut/).waitFor()
    await page.getByText(/^4 of \d+ operations/).waitFor()
    await page.getByLabel('Answered by').selectOption('inferred: sure')
    await row(/listProducts|getProduct/)
      .first()
      .waitFor()
    expect(await list().getByText('likely').count()).toBe(0)
    await page.getByLabel('Answered by').selectOption('Any answer')
  })

  test('show what their answers were made of, live, with links to the exchanges', async () => {
    const { page, send } = dashboard

    await send('/product-search?q=a')
    await row(/searchProducts/)
      .getByRole('link', { name: 'handler 1' })
      .click()
    const exchanges = page.getByRole('table', { name: 'Exchanges, newest first' })
    await exchanges.getByRole('row', { name: /product-search.* handler/ }).waitFor()

    await dashboard.show('/operations/searchProducts')
    const facts = page.getByRole('region', { name: 'What the sandbox does' })
    await facts.getByText('1 handler, asked first').waitFor()
    await facts.getByRole('link', { name: 'handler 1' }).waitFor()
    const latest = page.getByRole('region', { name: 'Latest traffic' })
    expect(await latest.innerText()).toContain('handler')
  })

  test('have no accessibility problem, and no error', async () => {
    for (const view of ['/operations', '/operations/searchProducts']) {
      await dashboard.show(view)
      expect(await accessibilityProblems(dashboard.page)).toEqual([])
    }
    expect(dashboard.pageErrors).toEqual([])
  })
})

describe('501 operations', () => {
  const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'
  let dashboard: OpenedDashboard
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
    const file = join(directory, 'large.json')
    const paths = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `/things/number-${at}`,
        { get: { summary: HOSTILE, responses: { '204': { description: 'OK' } } } },
      ]),
    )
    const info = { title: HOSTILE, version: '1' }
    const schema = { type: 'objct' }
    const wrong = { description: 'OK', content: { 'application/json': { schema } } }
    const mistaken = { '/wrong': { get: { responses: { '200': wrong } } } }
    const document = { openapi: '3.1.0', info, paths: { ...mistaken, ...paths } }
    await writeFile(file, JSON.stringify(document))
    dashboard = await openDashboard('/operations', ['serve', file])
  })
  afterAll(async () => {
    await dashboard.close()
    await rm(directory, { recursive: true })
  })

  test('are a table that draws the visible rows only', async () => {
    const { page } = dashboard
    await page.getByText('501 of 501 operations').waitFor()

    expect(await page.locator('tbody tr.link-row').count()).toBeLessThan(60)
    await page.locator('.table-box').evaluate((box) => {
      box.scrollTop = box.scrollHeight
    })
    await page.getByText('/things/number-499').first().waitFor()
  })

  test('show hostile text as text', async () => {
    const { page } = dashboard

    await page.getByText('/things/number-499').first().click()
    await page.locator('.operation-page').getByText(HOSTILE).first().waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()
  })

  test('show the mistakes of the document that concern them', async () => {
    const { page, show } = dashboard

    await show('/operations?text=wrong')
    await page.getByText('1 mistake', { exact: true }).waitFor()
    await page.getByText('/wrong').first().click()
    const mistakes = page.locator('.diagnostics')
    await mistakes.getByText('1 mistake in the document').waitFor()
    expect(await mistakes.innerText()).toMatch(/large\.json:1:\d+\s+"type" has .*Assumed instead:/)
    expect(await accessibilityProblems(page)).toEqual([])
  })

  test('have no records', async () => {
    const { page, show } = dashboard

    await show('/records')
    await page.getByText('No operation of the document reads or changes records.').waitFor()
  })
})
