import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'

describe('the keys in the dashboard', () => {
  let dashboard: OpenedDashboard

  const card = (key: string) => dashboard.page.getByRole('article', { name: key })

  beforeAll(async () => {
    dashboard = await openDashboard('/keys')
  })
  afterAll(() => dashboard.close())

  test('show how much of each quota is left, live', async () => {
    const { client, send } = dashboard
    await client.clock.set('2027-03-01T12:00:10Z')
    await card('sk_sandbox_free').getByText('60 of 60 left').waitFor()

    await send('/pets', { key: 'sk_sandbox_free' })

    await card('sk_sandbox_free').getByText('59 of 60 left').waitFor()
    await card('sk_sandbox_free').getByText('Resets in 50 s').waitFor()
  })

  test('can be spent, and get another plan', async () => {
    const { send } = dashboard

    await card('sk_sandbox_free').getByRole('button', { name: 'Spend minute' }).click()
    await card('sk_sandbox_free').getByText('0 of 60 left').waitFor()
    await card('sk_sandbox_free').locator(':focus').waitFor()
    expect(await send('/pets', { key: 'sk_sandbox_free' })).toBe(429)
    await card('sk_sandbox_free').getByLabel('Plan').selectOption('pro')
    await card('sk_sandbox_free').getByText('of 300 left').waitFor()

    expect(await send('/pets', { key: 'sk_sandbox_free' })).toBe(200)
  })

  test('show a ban with a countdown, which can be lifted', async () => {
    const { client, send } = dashboard
    await client.play('banned-client')
    const banned = (await client.accounts()).find(({ ban, always }) => ban && !always)
    const key = banned?.key ?? ''
    await card(key).getByText('It ends in').waitFor()

    await card(key).getByRole('button', { name: 'Lift ban' }).click()
    await card(key).getByText('It ends in').waitFor({ state: 'detached' })
    await card(key).locator(':focus').waitFor()

    const lifted = (await client.accounts()).find((account) => account.key === key)
    expect(lifted?.ban).toBeUndefined()
    expect(await send('/pets', { key })).toBe(200)
  })

  test('have plans, which are changed in place', async () => {
    const { page, client } = dashboard
    await page.getByText('Plans (4)').click()
    const plan = page.getByRole('form', { name: 'Plan pro' })

    expect(await plan.getByLabel('Requests per minute').inputValue()).toBe('300')
    await plan.getByLabel('Requests per minute').fill('0')
    await plan.getByText('It must be an integer ≥ 1.').waitFor()
    await plan.getByLabel('Requests per minute').fill('250')
    await plan.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The plan pro is saved.').waitFor()

    expect(await client.plans()).toContainEqual({ name: 'pro', minute: 250, day: 10_000 })
    await client.setPlan('pro', { minute: 300, day: 10_000 })
  })

  test('can be added and removed', async () => {
    const { page, client } = dashboard

    await page.getByLabel('New key').fill('a key')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByText('Use letters, digits').waitFor()
    await page.getByLabel('New key').fill('sk_added')
    await page.getByRole('button', { name: 'Add key' }).click()
    await card('sk_added').waitFor()
    await card('sk_added').getByRole('button', { name: 'Remove key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove key' }).click()
    await card('sk_added').waitFor({ state: 'detached' })

    expect((await client.keys()).map(({ key }) => key)).not.toContain('sk_added')
  })

  test('are drawn over time against their quotas', async () => {
    const { page, show, send } = dashboard
    await send('/pets', { key: 'sk_sandbox_free' })

    await show('/timeline')

    await page.getByText(/key …free/).waitFor()
    expect(await page.locator('.chart rect[fill="var(--served)"]').count()).toBeGreaterThan(0)
  })

  test('have no accessibility problem, and no error', async () => {
    const { page, show, pageErrors } = dashboard

    for (const view of ['/keys', '/timeline']) {
      await show(view)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    expect(pageErrors).toEqual([])
  })
})
