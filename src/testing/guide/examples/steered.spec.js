import { expect as baseExpect, test } from '@playwright/test'
import { createClient } from 'pet-sandbox/client'
import { matchers } from 'pet-sandbox/vitest'

const expect = baseExpect.extend(matchers)
const origin = process.env.PET_SANDBOX_URL ?? 'http://127.0.0.1:4010'
const sandbox = createClient(origin)

test('the page shows its wait, and is served in the next minute', async ({ page }, { testId }) => {
  // Each test has its own world, because tests run at the same time.
  const world = await sandbox.world(testId)
  // The clock stands still, so that no new quota window begins during the test.
  await world.clock.set('2027-03-01T12:00:00Z')
  await page.route('https://api.example.com/**', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    const url = `${origin}/worlds/${encodeURIComponent(testId)}${pathname}${search}`
    await route.fulfill({ response: await route.fetch({ url }) })
  })
  await world.collection('pets').update(1, { name: 'Sir Winston' })
  await page.goto('/')
  await expect(page.getByText('Sir Winston')).toBeVisible()

  await world.setPlan('free', { minute: 1 })
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByRole('alert')).toContainText('seconds')

  await world.clock.advance('61s')
  const [refused] = await world.journal.find({ status: 429 })
  expect(refused).toMatchObject({ operation: 'listPets', plan: 'free' })
  await expect(world).toHaveBehaved()
})
