import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'
import { ZOO_DOCUMENT } from './records-document.ts'
import { saveDownload } from './save-download.ts'

describe('linked records in the dashboard', () => {
  let dashboard: OpenedDashboard
  let directory: string

  const rows = () => dashboard.page.locator('tbody tr.link-row')
  const panel = (name: string) => dashboard.page.getByRole('region', { name, exact: true })
  const idsShown = async () =>
    (await rows().allInnerTexts()).map((text) => Number.parseInt(text, 10))

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
    const file = join(directory, 'zoos.json')
    await writeFile(file, JSON.stringify(ZOO_DOCUMENT))
    dashboard = await openDashboard('/records/zoos?record=3', ['serve', file, '--records', '12'])
    const { client } = dashboard
    for (const { id, zooId } of await client.collection('animals').list()) {
      const size = Number(id) === 5 ? undefined : 100 + Number(id) * 10
      await client.collection('animals').update(Number(id), {
        ...{ name: `Animal ${id}`, zooId: Number(zooId) === 3 ? 4 : Number(zooId) },
        ...(size !== undefined && { size }),
      })
    }
    await client.collection('animals').update(7, { zooId: 3 })
  })
  afterAll(async () => {
    await dashboard.close()
    await rm(directory, { recursive: true })
  })

  test('lead from a zoo to its animals and its keepers, and back', async () => {
    const { page } = dashboard
    const linked = panel('Linked records')

    await linked.getByRole('link', { name: 'animals with zooId = 3' }).click()
    await page.getByText('1–1 that match, in 12 records').waitFor()
    await rows().first().getByRole('link', { name: '3', exact: true }).click()
    await panel('Record 3').waitFor()

    await linked.getByRole('link', { name: 'zoos/3/keepers' }).click()
    await page.getByRole('heading', { name: 'zoos/3/keepers' }).waitFor()
    await page
      .getByRole('heading', { name: 'zoos/3/keepers' })
      .getByRole('link', { name: '3' })
      .click()
    await panel('Record 3').waitFor()
    await page.waitForURL(/records\/zoos\?record=3/)
  })

  test('are chosen by their names, not typed', async () => {
    const { page, client, show } = dashboard
    const [first] = await client.collection('zoos').list({ limit: 1 })
    await show('/records?open=zoos%2F%7BzooId%7D%2Fkeepers')
    const parent = panel('zoos/{zooId}/keepers').getByLabel('zooId')
    await parent.selectOption(`1 · ${first?.name}`)
    await page.getByRole('button', { name: 'Open collection' }).click()
    await page.getByRole('heading', { name: 'zoos/1/keepers' }).waitFor()

    await show('/records/animals?record=7')
    const zoo = panel('Record 7').getByLabel('zooId *')
    await zoo.selectOption('2')
    await panel('Record 7').getByRole('link', { name: 'Show zoos 2' }).waitFor()
    await panel('Record 7').getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The record 7 is saved.').waitFor()
    expect(await client.collection('animals').get(7)).toMatchObject({ zooId: 2 })
  })

  test('are sorted by a column, and those without a value come last', async () => {
    const { page, client, show } = dashboard
    const sized = await client.collection('animals').list()
    const bySize = sized.toSorted((one, other) => Number(one.size) - Number(other.size))
    const ids = bySize.map(({ id }) => Number(id))
    await show('/records/animals')

    const head = page.getByRole('columnheader', { name: 'size' })
    await head.getByRole('button').click()
    await expect.poll(idsShown).toEqual(ids)
    expect(await head.getAttribute('aria-sort')).toBe('ascending')
    await head.getByRole('button').press('Enter')
    await expect.poll(idsShown).toEqual(ids.toReversed())
    await page.waitForURL(/sort=-size/)
  })

  test('are changed and deleted together, and say which one is refused', async () => {
    const { page, client, show } = dashboard
    await show('/records/animals')
    for (const id of [1, 2, 3])
      await page.getByLabel(`Select record ${id}`, { exact: true }).check()
    const bar = panel('Selected records')
    await bar.getByText('3 records selected').waitFor()

    await bar.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change 3 records' })
    await dialog.getByLabel('Property').selectOption('size')
    expect(await accessibilityProblems(page)).toEqual([])
    await dialog.getByLabel('size', { exact: true }).fill('501')
    await dialog.getByRole('button', { name: 'Change 3 records' }).click()
    await dialog.getByText(/Cannot change record 1\. No record is done\..*500/).waitFor()
    await dialog.getByLabel('size', { exact: true }).fill('77')
    await dialog.getByRole('button', { name: 'Change 3 records' }).click()
    await page.getByText('3 records changed.').waitFor()
    expect(await client.collection('animals').list({ where: { size: 77 } })).toHaveLength(3)

    await bar.getByRole('button', { name: 'Delete 3 records' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 3 records' }).click()
    await page.getByText('3 records deleted.').waitFor()
    await bar.waitFor({ state: 'detached' })
    expect(await client.collection('animals').count()).toBe(9)
    await page.getByLabel('Select all records of this page').check()
    await bar.getByText('9 records selected').waitFor()
    await bar.getByRole('button', { name: 'Select none' }).click()
  })

  test('are saved as CSV, and added from it', async () => {
    const { page, client } = dashboard
    const animals = client.collection('animals')
    const button = page.getByRole('button', { name: 'Save CSV' })
    const { name, text } = await saveDownload(page, () => button.click())
    expect(name).toBe('animals.csv')
    expect(text.split('\r\n')[0]).toBe('id,name,zooId,size')
    expect(text.trim().split('\r\n')).toHaveLength(10)
    // Until then, no other action begins.
    await page.getByText('9 records saved.').waitFor()

    const add = (content: string) =>
      page.getByLabel('File of records').setInputFiles({
        ...{ name: 'new.csv', mimeType: 'text/csv', buffer: Buffer.from(content) },
      })
    await add('name,zooId,size\n"Luna, the first",1,\nMax,2,7\n')
    await page.getByText('2 records added.').waitFor()
    expect(await animals.list({ where: { zooId: 1, name: 'Luna, the first' } })).toHaveLength(1)
    await add('name,zooId\nLeo,1\nX,2\n')
    await page.getByText(/Cannot add record number 2\. 1 record before it is done\./).waitFor()
    await add('name,zooId\nLeo,many\n')
    await page.getByText('Cannot read new.csv: zooId of record 1: many is not a number.').waitFor()
  })

  test('show each of several mistakes at its field', async () => {
    const { page, show } = dashboard
    await show('/records/animals?add=yes')
    const record = panel('New record')
    await record.getByLabel('name *').fill('X')
    await record.getByLabel('zooId *').selectOption('2')
    await record.getByLabel('size').fill('-1')
    await record.getByRole('button', { name: 'Add record' }).click()
    await record.locator('.field', { hasText: 'size' }).getByText(/0/).first().waitFor()

    expect(await record.getByLabel('name *').getAttribute('aria-invalid')).toBe('true')
    expect(await record.getByLabel('size').getAttribute('aria-invalid')).toBe('true')
    expect(await accessibilityProblems(page)).toEqual([])
    await record.getByRole('link', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
  })

  test('have no accessibility problem, and no error', async () => {
    const { page, show, pageErrors } = dashboard
    for (const view of ['/records/zoos?record=3', '/records/zoos/3/keepers?sort=-name']) {
      await show(view)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    expect(pageErrors).toEqual([])
  })
})
