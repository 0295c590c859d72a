import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'
import { saveDownload } from './save-download.ts'

const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

describe('the worlds in the dashboard', () => {
  let dashboard: OpenedDashboard

  const list = () => dashboard.page.getByRole('table', { name: 'Worlds' })
  const form = () => dashboard.page.getByRole('form', { name: 'Create a world' })
  const shown = () => dashboard.page.getByRole('region', { name: 'The world that is shown' })
  const title = (name: string) => shown().getByRole('heading', { name: `World "${name}"` })
  const confirm = (name: string) =>
    dashboard.page.getByRole('dialog').getByRole('button', { name }).click()
  const names = async () => (await dashboard.client.worlds.list()).map(({ name }) => name)

  beforeAll(async () => {
    dashboard = await openDashboard('/worlds', ['--worlds', '3'])
  })
  afterAll(() => dashboard.close())

  test('are listed with their requests, live', async () => {
    await title('default').waitFor()

    await dashboard.send('/pets')

    await list().getByRole('row', { name: 'default shown 1' }).waitFor()
  })

  test('are created from the initial records, and shown', async () => {
    const { client } = dashboard
    await client.collection('pets').remove(1)

    await form().getByLabel('Name').fill('checkout-7')
    await form().getByRole('button', { name: 'Create world' }).click()
    await title('checkout-7').waitFor()

    const world = await client.world('checkout-7')
    expect(await world.collection('pets').get(1)).toBeDefined()
    await dashboard.page.waitForURL(/world=checkout-7/)
  })

  test('are switched by the list', async () => {
    await list().getByRole('link', { name: 'default' }).click()

    await title('default').waitFor()
  })

  test('are forked with their records, and refused when they exist', async () => {
    const { client } = dashboard

    await form().getByLabel('Name').fill('checkout-7')
    await form().getByLabel('Starts with').selectOption('default')
    await form().getByRole('button', { name: 'Fork world' }).click()
    await form().getByText('it exists already').waitFor()
    await form().getByLabel('Name').fill(HOSTILE)
    await form().getByRole('button', { name: 'Fork world' }).click()
    await title(HOSTILE).waitFor()

    const fork = await client.world(HOSTILE)
    expect(await fork.collection('pets').get(1)).toBeUndefined()
    expect(await dashboard.page.locator('img').count()).toBe(0)
  })

  test('are refused without a name, in the words of the sandbox', async () => {
    await form().getByLabel('Name').fill('')
    await form().getByRole('button', { name: 'Create world' }).click()

    await form().getByRole('alert').filter({ hasText: /name/ }).waitFor()
  })

  test('are deleted, and the default world is shown', async () => {
    await shown().getByRole('button', { name: 'Delete world' }).click()
    await confirm('Delete world')
    await title('default').waitFor()

    expect(await names()).toEqual(['default', 'checkout-7'])
  })

  test('are reset', async () => {
    const { client } = dashboard

    await shown().getByRole('button', { name: 'Reset world' }).click()
    await confirm('Reset world')
    await dashboard.page.getByText('The world "default" is reset.').waitFor()

    expect(await client.collection('pets').get(1)).toBeDefined()
  })

  test('are saved as a file, and restored from it', async () => {
    const { client, page } = dashboard
    await client.clock.freeze()
    const button = shown().getByRole('button', { name: 'Save snapshot' })

    const { name, text } = await saveDownload(page, () => button.click())
    await page.getByText('The snapshot is saved.').waitFor()
    expect(name).toBe('snapshot-default.json')
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(await client.snapshot())))
    await client.collection('pets').remove(1)
    await restore('snapshot.json', text)
    await page.getByText('The snapshot is restored.').waitFor()

    expect(await client.collection('pets').count()).toBe(50)
    expect(await client.journal.last()).toBe(0)
  })

  test('say what is wrong with a file', async () => {
    await restore('text.json', 'no JSON')
    await shown().getByText('Cannot read text.json: it is not valid JSON.').waitFor()

    await restore('other.json', '{"version":1}')

    await shown().getByText('Cannot restore').waitFor()
  })

  test('that were dropped are listed, and created again', async () => {
    const { client, page } = dashboard
    await client.world('a')
    await client.world('b')
    await client.world('c')
    const dropped = page.getByRole('region', { name: 'Dropped worlds' })

    await dropped.getByText('checkout-7').waitFor()
    await dropped.getByRole('button', { name: 'Create again: checkout-7' }).click()
    await title('checkout-7').waitFor()

    expect(await names()).toContain('checkout-7')
  })

  test('have no accessibility problem, and no error', async () => {
    const { page, pageErrors } = dashboard

    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()
    expect(pageErrors).toEqual([])
  })

  async function restore(name: string, text: string): Promise<void> {
    const chooser = dashboard.page.waitForEvent('filechooser')
    await shown().getByRole('button', { name: 'Restore snapshot…' }).click()
    const buffer = Buffer.from(text)
    await (await chooser).setFiles({ name, mimeType: 'application/json', buffer })
    await dashboard.page.getByRole('dialog').getByText('Its journal is emptied').waitFor()
    await confirm('Restore snapshot')
  }
})
