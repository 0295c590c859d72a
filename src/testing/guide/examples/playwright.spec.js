import { expect, test } from '@playwright/test'
import { createSandbox } from 'pet-sandbox'

const sandbox = createSandbox()

test.beforeEach(async ({ page }) => {
  sandbox.reset()
  await page.route('https://api.example.com/v1/**', async (route) => {
    const sent = route.request()
    const request = new Request(sent.url(), {
      method: sent.method(),
      headers: await sent.allHeaders(),
      body: sent.postDataBuffer(),
    })
    const response = await sandbox.fetch(request)
    const body = await response.arrayBuffer().catch(() => undefined)
    // A forced fault of the connection is a network error in the page.
    if (response.type === 'error' || !body) return route.abort('connectionreset')
    const headers = Object.fromEntries(response.headers)
    // Playwright takes several cookies as lines.
    const cookies = response.headers.getSetCookie().join('\n')
    await route.fulfill({
      status: response.status,
      headers: { ...headers, ...(cookies && { 'set-cookie': cookies }) },
      body: Buffer.from(body),
    })
  })
})

test('the page shows how long it has to wait', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('listitem')).toHaveCount(8)

  sandbox.force('rate-limited', { retryAfter: 30 })
  await page.getByRole('button', { name: 'Show more' }).click()

  await expect(page.getByRole('alert')).toContainText('30 seconds')
})
