import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'

const KEY = 'sk_sandbox_free'

describe('the outcomes in the dashboard', () => {
  let dashboard: OpenedDashboard

  const form = () => dashboard.page.getByRole('form', { name: 'Force an outcome' })
  const rules = () => dashboard.page.getByRole('region', { name: 'Forced outcomes' })
  const scenarios = () => dashboard.page.getByRole('region', { name: 'Scenarios' })
  const submit = () => form().getByRole('button', { name: 'Force outcome' }).click()

  beforeAll(async () => {
    dashboard = await openDashboard('/outcomes')
  })
  afterAll(() => dashboard.close())

  test('are forced on chosen operations, and the list counts each request', async () => {
    const { send } = dashboard
    await rules().getByText('No outcome is forced').waitFor()

    await form().getByLabel('Outcome', { exact: true }).selectOption('not-found')
    await form().getByLabel('listPets').check()
    await form().getByLabel('Times').fill('2')
    await submit()
    await rules().getByText('on listPets').waitFor()
    const statuses = [await send('/pets', { key: KEY }), await send('/pets/1', { key: KEY })]

    expect(statuses).toEqual([404, 200])
    await rules().getByText('forced 1 of 2').waitFor()
    expect(await send('/pets', { key: KEY })).toBe(404)
    await rules().getByText('No outcome is forced').waitFor()
  })

  test('show the documented statuses of the operation that is chosen', async () => {
    const hint = form().getByText('Documented statuses: 200, 400, 401, 429')
    await hint.waitFor()

    const link = await form()
      .getByRole('link', { name: 'Send a request to listPets' })
      .getAttribute('href')

    expect(link).toBe('#/operations/listPets')
  })

  test('are forced with every condition of a rule, one rule for each operation', async () => {
    const { page, client } = dashboard

    await form().getByLabel('Outcome', { exact: true }).selectOption('unavailable')
    await form().getByLabel('createPet').check()
    await form().getByLabel('Key').fill(KEY)
    await form().getByLabel('Times').fill('3')
    await form().getByLabel('Probability').fill('0.5')
    await form().getByLabel('Retry-After in seconds').fill('2')
    await form().getByText('More conditions').click()
    await form().getByLabel('Method').selectOption('GET')
    await form().getByLabel('Path').fill('/pets/*')
    await form().getByLabel('Requests to skip first').fill('1')
    await form().getByLabel('Delay').fill('100ms..2s')
    await submit()
    await page.getByText('unavailable is forced.').waitFor()

    const rule = {
      outcome: 'unavailable',
      ...{ method: 'GET', path: '/pets/*', key: KEY, times: 3, skip: 1, probability: 0.5 },
      ...{ retryAfter: 2, latency: '100ms..2s' },
    }
    expect(await client.forced()).toMatchObject([
      { ...rule, operation: 'listPets' },
      { ...rule, operation: 'createPet' },
    ])
  })

  test('are refused at the field', async () => {
    await form().getByLabel('Times').fill('0')
    await form().getByLabel('Probability').fill('120%')
    await submit()
    await form().getByText('It must be an integer ≥ 1.').waitFor()
    expect(await form().getByLabel('Times').getAttribute('aria-invalid')).toBe('true')
    await form().getByText('a percentage such as 20%').waitFor()

    await form().getByLabel('Times').fill('')
    await form().getByLabel('Probability').fill('')
    await form().getByLabel('Key').fill('nobody')
    await submit()
    await form().getByText('unknown API key "nobody"').waitFor()
    expect(await form().getByLabel('Key').getAttribute('aria-invalid')).toBe('true')
  })

  test('are removed one by one, and all at once', async () => {
    const { client, page } = dashboard

    await rules().getByRole('button', { name: 'Remove unavailable on listPets' }).click()
    await rules().getByText('listPets').waitFor({ state: 'detached' })
    expect(await client.forced()).toHaveLength(1)
    await rules().locator(':focus').waitFor()

    await rules().getByRole('button', { name: 'Remove all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click()
    await rules().getByText('No outcome is forced').waitFor()
    expect(await client.forced()).toEqual([])
  })

  test('are any answer, with what the document says to it', async () => {
    const { page, client, send } = dashboard
    await client.unforce()
    await page.reload()

    await form().getByLabel('Outcome', { exact: true }).selectOption('answer')
    await form().getByLabel('createPet').check()
    await form()
      .getByText('Documented: 201, 400, 401, 415, 429')
      .or(form().getByText(/^Documented: /))
      .first()
      .waitFor()
    await form().getByLabel('Status').fill('418')
    await form().getByLabel('Part of the body').fill('{ "message": "short and stout" }')
    await form().getByLabel('Headers').fill('Date: today')
    await submit()
    await form().getByText('is written by the sandbox itself').waitFor()
    await form().getByLabel('Headers').fill('X-Pot: tea')
    await submit()
    await page.getByText('The answer is forced.').waitFor()

    await rules().getByText('418, body, headers X-Pot').waitFor()
    await rules().getByText('The document has no response 418 for createPet.').waitFor()
    expect(await send('/pets', { key: KEY, method: 'POST' })).toBe(418)
    expect(await accessibilityProblems(page)).toEqual([])
    await client.unforce()
    await page.reload()
  })

  test('are a series of answers, a flow and a part of the request, opened from an operation', async () => {
    const { page, client, send, show } = dashboard
    await show('/operations/listPets')
    await page.getByRole('button', { name: 'Break listPets' }).click()
    await page.getByRole('link', { name: 'Series, flows and faults of deliveries' }).click()

    expect(await form().getByLabel('listPets').isChecked()).toBe(true)
    await form().getByLabel('Answers').fill('503\nsometimes')
    await submit()
    await form().getByText('Each line needs a status').waitFor()
    await form().getByLabel('Answers').fill('503\nbanned\nnext')
    await form().getByText('More conditions').click()
    await form().getByLabel('Query has').fill('limit=3')
    await form().getByLabel('While its state is').fill('start')
    await submit()
    await form().getByText('it is a state of a flow, and there is no flow').waitFor()
    await form().getByLabel('Flow').fill('checkout')
    expect(await accessibilityProblems(page)).toEqual([])
    await submit()
    await page.getByText('The series is forced.').waitFor()

    const statuses: number[] = []
    for (const path of ['/pets?limit=3', '/pets', '/pets?limit=3', '/pets?limit=3'])
      statuses.push(await send(path, { key: KEY }))
    expect(statuses).toEqual([503, 200, 429, 200])
    await rules().getByText('series 503, banned, next').waitFor()
    await rules().getByText('on listPets, limit=3, while checkout is start').waitFor()
    await client.unforce()
    await show('/outcomes')
    await page.reload()
  })

  test('list the scenarios, and play one after a question', async () => {
    const { client, page } = dashboard
    await scenarios().getByText('The store has no animals.').waitFor()
    const play = scenarios().getByRole('button', { name: 'Play empty-store' })

    await play.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await client.collection('pets').count()).toBeGreaterThan(0)
    await play.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Play' }).click()
    await page.getByText('The scenario "empty-store" is played.').waitFor()

    expect(await client.collection('pets').count()).toBe(0)
  })

  test('have no accessibility problem, and no error', async () => {
    const { page, client, pageErrors } = dashboard
    await client.force('slow', { key: KEY })

    expect(await accessibilityProblems(page)).toEqual([])
    expect(pageErrors).toEqual([])
  })
})
