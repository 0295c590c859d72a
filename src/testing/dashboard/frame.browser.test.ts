import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenedDashboard, openDashboard } from './dashboard.ts'

const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

describe('the frame of the dashboard', () => {
  let dashboard: OpenedDashboard
  const hosts = new Set<string>()

  const moveTo = async () => {
    await dashboard.page.getByRole('button', { name: 'Move to…' }).click()
    return dashboard.page.getByRole('dialog', { name: 'Move the clock' })
  }

  beforeAll(async () => {
    dashboard = await openDashboard('/traffic')
    dashboard.page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await dashboard.page.reload()
  })
  afterAll(() => dashboard.close())

  test.each([
    { width: 1024, most: 60 },
    { width: 390, most: 100 },
  ])('the head is at most $most px high at $width px', async ({ width, most }) => {
    const { page, client } = dashboard
    const size = page.viewportSize() ?? { width: 1280, height: 900 }
    const { id } = await client.force({ outcome: 'server-error', operation: 'getPet' })
    await page.getByRole('link', { name: '1 forced' }).waitFor()

    await page.setViewportSize({ ...size, width })
    const [height, over] = await page.evaluate(() => [
      document.querySelector('header')?.offsetHeight ?? 0,
      document.documentElement.scrollWidth - innerWidth,
    ])
    await page.setViewportSize(size)
    await client.unforce(id)

    expect(height).toBeLessThanOrEqual(most)
    expect(over).toBe(0)
    expect(await page.getByRole('button', { name: 'Move to…' }).count()).toBe(1)
  })

  test('follows an address that changes before the first view is complete', async () => {
    const { page } = dashboard
    await page.evaluate(() => sessionStorage.setItem('next', '#/keys'))
    await page.addInitScript(() => {
      const next = sessionStorage.getItem('next')
      sessionStorage.removeItem('next')
      addEventListener('DOMContentLoaded', () => {
        if (next !== null) location.hash = next
      })
    })

    await page.reload()

    await expect
      .poll(() => page.locator('nav [aria-current]').textContent({ timeout: 1000 }))
      .toBe('Keys')
    await dashboard.show('/traffic')
  })

  test('moves the clock to a time', async () => {
    const { client } = dashboard
    const dialog = await moveTo()

    await dialog.getByLabel('Time (UTC)').fill('tomorrow')
    await dialog.getByRole('button', { name: 'Set and freeze' }).click()
    await dialog.getByText('Write it as 2030-12-05T00:00:00Z').waitFor()
    await dialog.getByLabel('Time (UTC)').fill('2030-03-01T12:00:30Z')
    await dialog.getByRole('button', { name: 'Set and freeze' }).click()
    await dialog.waitFor({ state: 'detached' })

    expect(await client.clock.now()).toBe(Date.parse('2030-03-01T12:00:30Z'))
  })

  test('moves the clock to the next reset of a key, and to the removal of an operation', async () => {
    const { client, send } = dashboard
    await send('/pets', { key: 'sk_sandbox_free' })

    const reset = await moveTo()
    await reset.getByLabel('Key').selectOption('sk_sandbox_free')
    await reset.getByRole('button', { name: 'To the next reset' }).click()
    await reset.waitFor({ state: 'detached' })
    expect(await client.clock.now()).toBe(Date.parse('2030-03-01T12:01:00Z'))

    const removal = await moveTo()
    await removal.getByRole('button', { name: 'To its removal' }).click()
    await removal.waitFor({ state: 'detached' })
    expect(await client.clock.now()).toBeGreaterThanOrEqual(Date.parse('2030-12-01T00:00:00Z'))
  })

  test('says why the clock cannot be moved, and is closed by Escape', async () => {
    const { page } = dashboard
    const dialog = await moveTo()

    await dialog.getByRole('button', { name: 'To the end of the ban' }).click()
    await page
      .getByText(/Cannot .*ban/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')

    await dialog.waitFor({ state: 'detached' })
  })

  test('shows another world, and says when it was deleted', async () => {
    const { page, client, show } = dashboard
    await client.world('one')

    await page.getByLabel('World', { exact: true }).selectOption('one')
    await page.waitForURL(/world=one/)
    await page.getByText('No requests yet').waitFor()
    await client.worlds.delete('one')
    await page.getByRole('heading', { name: 'There is no world "one"' }).waitFor()
    expect((await client.worlds.list()).map(({ name }) => name)).toEqual(['default'])
    await page.getByRole('button', { name: 'Create this world' }).click()
    await page.getByText('No requests yet').waitFor()
    await client.worlds.delete('one')
    await page.getByRole('heading', { name: 'There is no world "one"' }).waitFor()
    await page.getByRole('link', { name: 'Show the default world' }).click()
    await page.locator('tbody tr.link-row').first().waitFor()

    expect(page.url()).not.toContain('world=')
    await show('/traffic')
  })

  test('keeps what is open when it shows another world', async () => {
    const { page, client, show } = dashboard
    const world = await client.world('other')
    await world.collection('pets').update(3, { name: 'Elsewhere' })
    await show('/records/pets?record=3')
    await page.getByRole('region', { name: 'Record 3' }).getByLabel(/^name/).waitFor()

    await page.getByLabel('World', { exact: true }).selectOption('other')
    await page.waitForURL(/records\/pets\?record=3&world=other/)
    const name = page.getByRole('region', { name: 'Record 3' }).getByLabel(/^name/)

    await expect.poll(() => name.inputValue()).toBe('Elsewhere')
    await client.worlds.delete('other')
    await show('/traffic')
  })

  test('shows a button that is disabled with enough contrast', async () => {
    const contrast = await dashboard.page.evaluate(() => {
      const button = document.createElement('button')
      button.className = 'primary'
      button.ariaDisabled = 'true'
      document.querySelector('main')?.append(button)
      const { color, backgroundColor } = getComputedStyle(button)
      button.remove()
      const luminance = (text: string): number => {
        const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? [])
          .map((one) => Number(one) / 255)
          .map((one) => (one <= 0.040_45 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      const [light = 0, dark = 0] = [luminance(color), luminance(backgroundColor)].sort(
        (one, other) => other - one,
      )
      return (light + 0.05) / (dark + 0.05)
    })
    expect(contrast).toBeGreaterThan(4.5)
  })

  test('is used by the keyboard alone', async () => {
    const { page } = dashboard
    await page.reload()
    await page.locator('tbody tr.link-row').first().waitFor()
    const focusByTab = async (name: RegExp): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        await page.keyboard.press('Tab')
        if (name.test(await page.evaluate(() => document.activeElement?.textContent ?? ''))) return
      }
      throw new Error(`Tab does not reach ${name}`)
    }

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    await focusByTab(/GET \/pets/)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Exchange 1' }).waitFor()
    await page.reload()
    await page.getByRole('region', { name: 'Exchange 1' }).waitFor()
    await focusByTab(/^Keys$/)
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: 'sk_sandbox_free' }).waitFor()
  })

  test('goes to any operation by the palette, and to the search field by a slash', async () => {
    const { page, show } = dashboard
    await show('/traffic')

    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Go to or do' })
    await palette.getByRole('option', { name: 'createPet' }).waitFor()
    await page.keyboard.type('create pet')
    expect(await palette.getByRole('option').first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('GET pets')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/operations\/listPets/)
    await palette.waitFor({ state: 'detached' })
    await show('/traffic')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Text' }).and(page.locator(':focus')).waitFor()
    await show('/operations')
    await page
      .getByRole('link', { name: 'createPet' })
      .or(page.getByRole('link', { name: 'POST /pets' }))
      .first()
      .waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    const row = page.locator('main tr.link-row').first().locator('a:focus')
    await row.waitFor()
    // The first Escape empties the field, and the second one leaves it.
    await page.keyboard.press('/')
    await page.keyboard.type('p')
    await page.keyboard.press('Escape')
    await page.locator('main input[type="search"]:focus').waitFor()
    await page.keyboard.press('Escape')
    await row.waitFor()
    // A key that follows at once is for the list that was searched for.
    await page.keyboard.press('/')
    await page.keyboard.type('createPet')
    await page.keyboard.press('ArrowDown')
    await page
      .locator('main tr.link-row')
      .filter({ hasText: /createPet|POST/ })
      .locator('a:focus')
      .waitFor()

    // The timeline has no search field.
    await show('/timeline')
    await page.getByText('Period').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await palette.getByRole('option', { name: 'createPet' }).waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await show('/traffic')

    await dashboard.client.clock.resume()
    await page.getByRole('button', { name: 'Freeze' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('freeze')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect(await palette.count()).toBe(0)
    await dashboard.client.clock.resume()
  })

  test('does not move when the user wants no motion', async () => {
    const { page, show } = dashboard
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await show('/keys')
    await page.getByRole('article').first().waitFor()

    await page.getByRole('button', { name: 'Spend minute' }).first().click()
    await page.getByText('The minute is spent.').waitFor()

    const moving = await page.evaluate(
      () =>
        document
          .getAnimations()
          .filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1).length,
    )
    expect(moving).toBe(0)
    await page.emulateMedia({ reducedMotion: null })
  })

  test('shows hostile names of plans and worlds as text, in every view', async () => {
    const { page, client, show } = dashboard
    await client.setPlan(HOSTILE, { minute: 5, day: 10 })
    await client.setKey('sk_hostile', HOSTILE)
    await client.world(HOSTILE)
    await show('/keys')
    await page.getByRole('article', { name: 'sk_hostile' }).waitFor()
    const views = await page.getByRole('navigation').getByRole('link').all()
    const addresses = await Promise.all(views.map((link) => link.getAttribute('href')))

    for (const address of addresses) {
      await show(`${address?.slice(1)}?world=${encodeURIComponent(HOSTILE)}`)
      await page.locator(`nav [aria-current][href^="${address}?world="]`).waitFor()
      await page.locator('.pending').first().waitFor({ state: 'detached' })
      expect(await page.getByLabel('World', { exact: true }).inputValue()).toBe(HOSTILE)
      expect(await page.locator('img').count()).toBe(0)
    }
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()
    await client.worlds.delete(HOSTILE)
    await show('/traffic')
  })

  test('says that a view does not exist', async () => {
    const { page, show } = dashboard

    await show('/nothing')

    await page.getByRole('heading', { name: 'There is no such view' }).waitFor()
  })

  test('asks no other host, and violates no policy', () => {
    expect([...hosts]).toEqual([new URL(dashboard.origin).host])
    expect(dashboard.pageErrors).toEqual([])
  })
})
