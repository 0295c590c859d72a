import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSite, SHOP_POLICY, type Site } from '../site.ts'

describe('the page of the shop, in Chromium', () => {
  let site: Site

  const cards = () => site.page.locator('#pets li')
  const texts = () => cards().locator('strong').allTextContents()

  beforeAll(async () => {
    site = await openSite({
      script: 'src/testing/consumer/main.ts',
      html: await readFile('src/testing/consumer/page.html', 'utf8'),
      policy: SHOP_POLICY,
    })
  })
  afterEach(async () => {
    await site.page.reload()
    await cards().first().waitFor()
  })
  afterAll(() => site.close())

  test('lists the animals page by page', async () => {
    await cards().first().waitFor()
    expect(await cards().count()).toBe(8)
    expect(await texts()).toEqual(expect.arrayContaining(['Winston', 'Juniper']))

    await site.page.click('#more')
    await site.page.getByText('16 shown').waitFor()

    expect(await cards().last().textContent()).toContain('No. 16')
    expect(site.pageErrors).toEqual([])
  })

  test('filters the animals by status', async () => {
    await site.page.selectOption('#filter', 'pending')
    await site.page.waitForFunction(() => !document.querySelector('em:not(.pending)'))

    expect(await cards().count()).toBe(8)
  })

  test('adds an animal and shows it with its id', async () => {
    await site.page.fill('input[name=name]', 'Biscuit')
    await site.page.fill('input[name=category]', '2')
    await site.page.click('text=Add an animal')
    await site.page.getByText('No. 51').waitFor()

    expect((await texts())[0]).toBe('Biscuit')
    expect(await site.page.inputValue('input[name=name]')).toBe('')
  })

  test('shows a banner with a countdown during Retry-After, and loads the next page afterwards', async () => {
    await site.page.evaluate(() => {
      globalThis.sandbox.force('rate-limited', { times: 1, retryAfter: 2 })
    })

    await site.page.click('#more')
    await site.page.getByText('You can go on in 2 seconds').waitFor()
    const isDisabled = await site.page.isDisabled('#more')
    await site.page.getByText('You can go on in 1 second.').waitFor()
    await site.page.click('#more')
    await site.page.getByText('16 shown').waitFor()

    expect(isDisabled).toBe(true)
    expect(await site.page.isVisible('#banner')).toBe(false)
  })
})
