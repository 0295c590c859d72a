import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCommand } from '../command.ts'
import { type Balancer, balance } from '../redis/balance.ts'
import { findRedis } from '../redis/find-redis.ts'
import { startRedis, stopRedis } from '../redis/start-redis.ts'
import { type OpenedDashboard, openDashboardOf } from './dashboard.ts'

const FREE = 'sk_sandbox_free'

describe.skipIf(!findRedis())(
  'the dashboard of two servers, which answer its requests in turn',
  () => {
    let dashboard: OpenedDashboard
    let balancer: Balancer

    beforeAll(async () => {
      const { address } = await startRedis()
      const args = ['--store', address, '--log', 'silent']
      const servers = await Promise.all([startCommand(args), startCommand(args)])
      const [one, two] = servers
      balancer = await balance(servers.map(({ base }) => new URL(base).origin))
      const base = balancer.origin + new URL(one.base).pathname
      const stop = async () => {
        balancer.close()
        await two.stop()
        return one.stop()
      }
      dashboard = await openDashboardOf({ base, stop }, '/traffic')
      await dashboard.client.clock.freeze()
    })
    afterAll(async () => {
      await dashboard.close()
      await stopRedis()
    })

    test('lists the exchanges of both, live and in their order', async () => {
      const { send, page } = dashboard
      const rows = page.locator('tbody tr.link-row')
      await page.getByText('No requests yet').waitFor()

      for (const limit of [1, 2, 3, 4]) await send(`/pets?limit=${limit}`, { key: FREE })
      await rows.nth(3).waitFor()

      const texts = await rows.allInnerTexts()
      expect(texts.map((text) => /limit=(\d)/.exec(text)?.[1])).toEqual(['4', '3', '2', '1'])
    })

    test('shows the one count of a key, and spends its quota for both', async () => {
      const { send, page, show } = dashboard
      const card = page.getByRole('article', { name: FREE })
      await show('/keys')
      await card.getByText('56 of 60 left').waitFor()

      await card.getByRole('button', { name: 'Spend minute' }).click()
      await card.getByText('0 of 60 left').waitFor()

      expect([await send('/pets', { key: FREE }), await send('/pets', { key: FREE })]).toEqual([
        429, 429,
      ])
    })

    test('creates a world that both serve, and shows it', async () => {
      const { page, show } = dashboard
      await show('/worlds')
      const form = page.getByRole('form', { name: 'Create a world' })

      await form.getByLabel('Name').fill('checkout-7')
      await form.getByRole('button', { name: 'Create world' }).click()
      await page.getByRole('heading', { name: 'World "checkout-7"' }).waitFor()
      const world = `${balancer.origin}/worlds/checkout-7/v1/pets`
      const headers = { Authorization: `Bearer ${FREE}` }
      const answers = [await fetch(world, { headers }), await fetch(world, { headers })]

      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const row = page.getByRole('table', { name: 'Worlds' })
      await row.getByRole('row', { name: /checkout-7 shown 2/ }).waitFor()
    })

    test('has no error', () => {
      expect(dashboard.pageErrors).toEqual([])
    })
  },
)
