import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'
import { RECORDS_DOCUMENT } from './records-document.ts'
import { saveDownload } from './save-download.ts'

const HOSTILE = '<img src=x onerror="globalThis.wasRun = true">'

describe('the records in the dashboard', () => {
  let dashboard: OpenedDashboard
  let directory: string

  const rows = () => dashboard.page.locator('tbody tr.link-row')
  const panel = (name: string) => dashboard.page.getByRole('region', { name, exact: true })

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
    const file = join(directory, 'shop.json')
    await writeFile(file, JSON.stringify(RECORDS_DOCUMENT))
    dashboard = await openDashboard('/records', ['serve', file, '--records', '1000'])
  })
  afterAll(async () => {
    await dashboard.close()
    await rm(directory, { recursive: true })
  })

  test('lists the collections, and searches their names', async () => {
    const { page } = dashboard
    await rows().nth(1).waitFor()

    expect(await rows().first().innerText()).toMatch(/items\s+1,000/)
    await page.getByLabel('Name').fill('parts')
    await page.getByText('items', { exact: true }).waitFor({ state: 'detached' })
    expect(await rows().count()).toBe(1)
  })

  test('opens a collection below a parent by its id, and lists it once a record of it was changed', async () => {
    const { page, show, send } = dashboard
    await show('/records')

    await page.getByRole('link', { name: 'items/{itemId}/parts' }).click()
    await panel('items/{itemId}/parts').getByText('Such as 1, 2, 3').waitFor()
    await panel('items/{itemId}/parts').getByLabel('itemId').fill('7')
    await page.getByRole('button', { name: 'Open collection' }).click()
    await page.getByRole('heading', { name: /items.7.parts/ }).waitFor()
    await send('/items/7/parts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Wheel' }),
    })
    await page.getByRole('link', { name: 'Records', exact: true }).last().click()
    await page.getByRole('link', { name: 'items/7/parts' }).click()

    await page.waitForURL(/#\/records\/items\/7\/parts/)
  })

  test('creates no records below a parent that does not exist, and suggests those that do', async () => {
    const { page, show, client } = dashboard
    const before = await client.collectionCounts()
    await show('/records?open=items%2F%7BitemId%7D%2Fparts')
    await panel('items/{itemId}/parts').getByText('Such as 1, 2, 3').waitFor()

    await show('/records/items/none/parts')
    await page.getByText('There is no record none in items').waitFor()
    await show('/records')
    expect(await client.collectionCounts()).toEqual(before)

    await show('/records/items/none/parts')
    await page.getByRole('button', { name: 'Open it all the same' }).click()
    await page.getByText(/of [\d,]+ records/).waitFor()
  })

  test('shows records in pages, and filters them', async () => {
    const { page, show } = dashboard
    await show('/records/items')
    await page.getByText('1–100 of 1,000 records').waitFor()

    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('101–200 of 1,000 records').waitFor()
    expect(await rows().first().innerText()).toMatch(/^\s*101\s/)
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByText('1–100 of 1,000 records').waitFor()

    await page.getByLabel('Property').selectOption('id')
    await page.getByLabel('Value').fill('777')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('1–1 that match, in 1,000 records').waitFor()
    expect(await rows().count()).toBe(1)
    await page.getByRole('button', { name: 'Remove the filter id = 777' }).click()
    await page.getByText('1–100 of 1,000 records').waitFor()
  })

  test('shows at once what requests change', async () => {
    const { page, send, client, show } = dashboard
    await show('/records/items?where.name=Lamp')
    await page.getByText('No record matches the filter').waitFor()

    const status = await send('/items', {
      method: 'POST',
      body: JSON.stringify({ name: 'Lamp' }),
      headers: { 'Content-Type': 'application/json' },
    })
    await rows().first().waitFor()

    expect(status).toBe(201)
    const [lamp] = await client.collection('items').list({ where: { name: 'Lamp' } })
    await client.collection('items').remove(Number(lamp?.id))
    await page.getByText('No record matches the filter').waitFor()
  })

  test('edits each property by its type', async () => {
    const { page, show, client } = dashboard
    await client.collection('items').update(3, { isNew: false, tags: [], bornAt: null })
    await show('/records/items?record=3')
    const record = panel('Record 3')

    await record.getByLabel('name *').fill('Chair')
    await record.getByLabel('size').fill('12')
    await record.getByLabel('isNew').check()
    await record.getByLabel('state').selectOption('sold')
    await record.getByLabel('bornAt (UTC)').fill('2026-01-02T03:04:05')
    const tags = record.getByRole('group', { name: 'tags' })
    await tags.getByRole('button', { name: 'Add tags' }).click()
    await tags.getByRole('textbox', { name: 'tags 1' }).fill('left out')
    await tags.getByRole('button', { name: 'Add tags' }).click()
    await tags.getByRole('textbox', { name: 'tags 2' }).fill('a')
    await tags.getByRole('button', { name: 'Remove tags 1' }).click()
    await record.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The record 3 is saved.').waitFor()

    expect(await client.collection('items').get(3)).toMatchObject({
      name: 'Chair',
      size: 12,
      isNew: true,
      state: 'sold',
      bornAt: '2026-01-02T03:04:05Z',
      tags: ['a'],
    })
  })

  test('shows the mistakes of the sandbox at their fields', async () => {
    const { page, show } = dashboard
    await show('/records/items?add=yes')
    const record = panel('New record')

    await record.getByLabel('size').fill('big')
    await record.getByRole('button', { name: 'Add record' }).click()
    await record.getByText('big is not a number').waitFor()
    await record.getByLabel('name *').fill('Bed')
    await record.getByLabel('size').fill('-5')
    await record.getByRole('button', { name: 'Add record' }).click()
    await record
      .locator('.field', { hasText: 'size' })
      .getByText(/must be/)
      .waitFor()

    expect(await record.getByLabel('size').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('.toast.failed').count()).toBe(0)
  })

  test('shows the mistakes of an edit at their fields, and saves nothing', async () => {
    const { page, show, client } = dashboard
    const before = await client.collection('items').get(4)
    await show('/records/items?record=4')
    const record = panel('Record 4')

    await record.getByLabel('size').fill('-5')
    await record.getByRole('button', { name: 'Save changes' }).click()
    await record.locator('.field', { hasText: 'size' }).getByText('must be >= 0').waitFor()

    expect(await record.getByLabel('size').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('.toast.failed').count()).toBe(0)
    expect(await client.collection('items').get(4)).toEqual(before)
  })

  test('edits a record as JSON', async () => {
    const { page, show, client } = dashboard
    await show('/records/items?record=5')
    const record = panel('Record 5')

    await record.getByRole('button', { name: 'JSON', exact: true }).click()
    const text = await record.getByRole('textbox', { name: 'Record', exact: true }).inputValue()
    await record.getByRole('textbox', { name: 'Record', exact: true }).fill('{')
    await record.getByRole('button', { name: 'Save changes' }).click()
    await record.getByText('Not valid JSON').waitFor()
    await record
      .getByRole('textbox', { name: 'Record', exact: true })
      .fill(JSON.stringify({ ...JSON.parse(text), name: 'Desk' }))
    await record.getByRole('button', { name: 'Form', exact: true }).click()
    expect(await record.getByLabel('name *').inputValue()).toBe('Desk')
    await record.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The record 5 is saved.').waitFor()

    expect(await client.collection('items').get(5)).toMatchObject({ name: 'Desk' })
  })

  test('says that a record has changed while it is edited', async () => {
    const { show, client } = dashboard
    await show('/records/items?record=6')
    const record = panel('Record 6')
    await record.getByLabel('name *').fill('Typed')

    await client.collection('items').update(6, { name: 'Changed' })
    await record.getByText('The record has changed').waitFor()
    expect(await record.getByLabel('name *').inputValue()).toBe('Typed')
    await record.getByRole('button', { name: 'Show the new values' }).click()

    expect(await record.getByLabel('name *').inputValue()).toBe('Changed')
  })

  test('adds a record with hostile text, shows it as text, and deletes it after a question', async () => {
    const { page, show, client } = dashboard
    await show('/records/items?page=2')

    await page.getByRole('link', { name: 'Add record' }).click()
    const added = panel('New record')
    await added.getByRole('button', { name: 'Add record' }).click()
    await added.getByText(/name/).nth(1).waitFor()
    await added.getByLabel('name *').fill(HOSTILE)
    await added.getByRole('button', { name: 'Add record' }).click()
    await panel('Record 1002').or(panel('Record 1001')).waitFor()
    const [stored] = await client.collection('items').list({ where: { name: HOSTILE } })
    await show(`/records/items?where.name=${encodeURIComponent(HOSTILE)}&record=${stored?.id}`)
    await rows().filter({ hasText: HOSTILE }).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()

    await page.getByRole('button', { name: 'Delete record' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete record?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete record' }).click()
    await dialog.getByRole('button', { name: 'Delete record' }).click()
    await page.getByText(`The record ${stored?.id} is deleted.`).waitFor()
    await panel(`Record ${stored?.id}`).waitFor({ state: 'detached' })

    expect(await client.collection('items').get(Number(stored?.id))).toBeUndefined()
  })

  test('asks before what is typed is lost, duplicates a record, and saves and adds records', async () => {
    const { page, client, show } = dashboard
    await show('/records/items?record=3')
    const record = panel('Record 3')
    await record.getByLabel('name', { exact: false }).first().fill('Unsaved')

    await record.getByRole('link', { name: 'Close' }).click()
    const dialog = page.getByRole('dialog', { name: 'Discard the changes?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.evaluate(() => history.back())
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await record.getByLabel('name', { exact: false }).first().inputValue()).toBe('Unsaved')
    await record.getByLabel('name', { exact: false }).first().press('Escape')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await record.getByLabel('name', { exact: false }).first().inputValue()).toBe('Unsaved')
    await record.getByRole('link', { name: 'Close' }).click()
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await record.waitFor({ state: 'detached' })

    const items = client.collection('items')
    const before = await items.count()
    await show('/records/items?record=3')
    await panel('Record 3').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByText(/is a copy/).waitFor()
    const button = page.getByRole('button', { name: 'Save JSON' })
    const { name, text } = await saveDownload(page, () => button.click())
    await page.getByText('1,001 records saved.').waitFor()
    expect(name).toBe('items.json')
    expect(JSON.parse(text)).toHaveLength(before + 1)
    const [original, copy] = [JSON.parse(text)[2], JSON.parse(text).at(-1)]
    expect(copy.name).toBe(original.name)
    expect(copy.id).not.toBe(original.id)

    const buffer = Buffer.from(JSON.stringify([{ ...copy, name: 'From a file' }]))
    const file = { name: 'new.json', mimeType: 'application/json', buffer }
    await items.remove(copy.id)
    await page.getByLabel('File of records').setInputFiles(file)
    await page.getByText('1 record added.').waitFor()
    expect(await items.list({ where: { name: 'From a file' } })).toHaveLength(1)
    await page.getByLabel('File of records').setInputFiles({ ...file, buffer: Buffer.from('7') })
    await page.getByText('Cannot read new.json: it is not a JSON list of records.').waitFor()
    for (const { id } of await items.list({ where: { name: 'From a file' } })) {
      await items.remove(Number(id))
    }
  })

  test('says that a record or a collection does not exist', async () => {
    const { page, show } = dashboard

    await show('/records/items?record=99999')
    await page.getByText('There is no record 99999').waitFor()
    await show('/records/nothing')
    await page.getByText('unknown collection "nothing"').waitFor()
  })

  test.each(['/records', '/records?open=items/%7BitemId%7D/parts', '/records/items?record=8'])(
    'has no accessibility problem at %s, and no error',
    async (hash) => {
      const { page, show, pageErrors } = dashboard

      await show(hash)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(pageErrors).toEqual([])
    },
  )
})
