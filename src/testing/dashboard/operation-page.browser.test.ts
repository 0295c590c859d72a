import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, type OpenedDashboard, openDashboard } from './dashboard.ts'
import { ALTERNATIVES, HOSTILE, OPERATION_DOCUMENT } from './operation-document.ts'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Opens the dashboard of a sandbox for a document. */
async function openDocument(
  document: object,
  hash: string,
  ...size: Parameters<typeof openDashboard>[2][]
): Promise<OpenedDashboard> {
  const file = join(directory, `${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify(document))
  return openDashboard(hash, ['serve', file, '--no-auth'], ...size)
}

describe('the page of an operation', () => {
  let dashboard: OpenedDashboard
  let requested: string[]

  const region = (name: string) => dashboard.page.getByRole('region', { name, exact: true })
  const response = () => region('Response')
  const open = async (id: string): Promise<void> => {
    await dashboard.show(`/operations/${id}`)
    const page = region(`Operation ${id}`)
    await page.getByRole('button', { name: 'Send request' }).waitFor()
  }
  const send = () => dashboard.page.getByRole('button', { name: 'Send request' }).click()
  const latest = async () => {
    const { journal } = dashboard.client
    return journal.get(await journal.last())
  }

  beforeAll(async () => {
    dashboard = await openDocument(OPERATION_DOCUMENT, '/operations')
    requested = []
    dashboard.page.on('request', (request) => requested.push(request.url()))
  })
  afterAll(() => dashboard.close())

  test('is found by its tag, its summary, its id and its path', async () => {
    const { page } = dashboard
    const rows = page.locator('tbody tr.link-row')
    const group = page.getByRole('button', { name: /^Pets 3$/ })

    await group.waitFor()
    expect(await rows.count()).toBe(7)
    await group.press('Enter')
    expect(await group.getAttribute('aria-expanded')).toBe('false')
    expect(await rows.count()).toBe(4)
    for (const text of ['search', 'finds', 'findtickets', '/tickets/']) {
      await page.getByLabel('Text').fill(text)
      await page.getByText('1 of 7 operations').waitFor()
    }
    await page.getByLabel('Text').fill('')
  })

  test('shows the description, parameters, statuses and certainty, and hostile texts are texts', async () => {
    const { page } = dashboard
    await open('findTickets')
    const description = region('Description')

    expect(await description.innerText()).toContain(HOSTILE)
    expect(await description.locator('em, pre, li code').allInnerTexts()).toEqual([
      'tickets',
      'code',
      '1 < 2',
    ])
    const links = description.locator('.markdown a')
    const targets = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(targets).toEqual([
      'https://example.com/a',
      'https://example.com/b',
      'https://example.com/picture.png',
    ])
    expect(await region('Parameters').innerText()).toMatch(
      /id required\s+path[\s\S]*status[\s\S]*array of string[\s\S]*Which ones[\s\S]*items ≤ 2[\s\S]*open[\s\S]*limit[\s\S]*≥ 1, ≤ 10[\s\S]*Default 5/,
    )
    expect(await region('Responses').innerText()).toMatch(/200 Done[\s\S]*404 Not there/)
    expect(await region('What the sandbox does').innerText()).toMatch(/read[\s\S]*sure/)
    expect(await page.locator('img, script:not([src]), iframe').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasRun'))).toBeUndefined()
    expect(requested.filter((url) => !url.startsWith(dashboard.origin))).toEqual([])
    expect(await accessibilityProblems(page)).toEqual([])
  })

  test('sends several values as the document says, with the keyboard, and refuses an empty path parameter', async () => {
    const { page } = dashboard
    await open('findTickets')

    await page.getByLabel('status', { exact: true }).selectOption(['open', 'closed'])
    await page.getByLabel('limit', { exact: true }).fill('99')
    await page.getByText('must be <= 10').waitFor()
    await page.getByLabel('id *').fill('')
    await send()
    await page.getByText('must not be empty').waitFor()
    expect(await page.getByLabel('id *').evaluate((one) => one === document.activeElement)).toBe(
      true,
    )
    expect(await dashboard.client.journal.last()).toBe(0)

    await page.getByLabel('id *').fill('a/b')
    await page.getByLabel('limit', { exact: true }).fill('')
    await page.getByLabel('id *').press('Control+Enter')
    await response().getByText('404').first().waitFor()
    expect((await latest())?.target).toBe('/tickets/a%2Fb?status=open&status=closed')
    await region('Latest traffic').getByText('/tickets/a%2Fb').first().waitFor()
    expect(await dashboard.client.journal.last()).toBe(1)
  })

  test('keeps what was typed while the page shows something else', async () => {
    const { page, show } = dashboard
    await open('findTickets')
    await page.getByRole('button', { name: 'Restore values' }).click()
    const first = await page.getByLabel('id *').inputValue()
    await page.getByLabel('id *').fill('kept')
    await show('/keys')
    await page.locator('nav a[aria-current]', { hasText: 'Keys' }).waitFor()
    await page.getByLabel('id *').waitFor({ state: 'detached' })

    await open('findTickets')
    expect(await page.getByLabel('id *').inputValue()).toBe('kept')
    await page.getByRole('button', { name: 'Restore values' }).click()
    expect(await page.getByLabel('id *').inputValue()).toBe(first)
  })

  test('sends what no request covered yet by a button', async () => {
    const coverage = region('Coverage')
    await open('findTickets')

    await coverage.getByRole('button', { name: 'Send 400', exact: true }).click()
    await coverage.getByText('400 × 1', { exact: true }).waitFor()
    await coverage.getByRole('button', { name: 'Send 400 for query.limit' }).click()
    await coverage.getByText('400 for query.limit × 1').waitFor()
    await coverage.getByRole('button', { name: 'Send query.sort=down' }).click()
    await coverage.getByText('query.sort=down × 1').waitFor()
    expect((await latest())?.target).toContain('sort=down')
  })

  test('has a choice by name, rows and dates, and marks the mistakes of a text where they are', async () => {
    const { page } = dashboard
    await open('addPet')
    const body = page.getByLabel('Body (application/json)')

    await page.getByLabel('Kind', { exact: true }).selectOption('Dog')
    await page.getByLabel('Add a property').selectOption('born')
    await page.getByLabel('born', { exact: true }).fill('2026-02-03')
    await page.getByLabel('Add a property').selectOption('tags')
    await page.getByRole('button', { name: 'Add tags', exact: true }).click()
    await page.getByLabel('tags 1', { exact: true }).fill('a b')
    await page.getByLabel('Add a property').selectOption('sizes')
    await page.getByLabel('sizes', { exact: true }).selectOption(['small', HOSTILE])
    await page.getByRole('button', { name: 'Edit as text' }).click()
    expect(JSON.parse(await body.inputValue())).toEqual({
      kind: 'dog',
      born: '2026-02-03',
      tags: ['a b'],
      sizes: ['small', HOSTILE],
    })

    await page.getByLabel('Content-Type').selectOption('application/x-www-form-urlencoded')
    await send()
    await response().getByText('200').first().waitFor()
    expect((await latest())?.request.body).toBe(
      `kind=dog&born=2026-02-03&tags=a%20b&sizes=small&sizes=${encodeURIComponent(HOSTILE)}`,
    )
    await page.getByLabel('Content-Type').selectOption('application/json')

    await body.fill('{\n  "kind": "dog",\n  "tags": [1]\n')
    await page.getByText('This is not JSON: a comma or } is expected here.').waitFor()
    await body.fill('{\n  "kind": "dog",\n  "born": "today"\n}')
    await page.locator('mark', { hasText: '"today"' }).waitFor()
    await page.getByRole('button', { name: 'Line 3' }).click()
    const selected = await body.evaluate((area) => {
      const { selectionStart, selectionEnd, value } = area as HTMLTextAreaElement
      return value.slice(selectionStart, selectionEnd)
    })
    expect(selected).toBe('"today"')
    expect(await accessibilityProblems(page)).toEqual([])
  })

  test('has an input for instants that says what is sent, and converts the body to XML and back', async () => {
    const { page, show, client } = dashboard
    await show('/operations/addOrder')
    const form = page.getByRole('form', { name: 'Request' })
    const instant = form.getByLabel('at * (UTC)')
    await instant.waitFor()

    expect(await instant.inputValue()).toBe('2026-05-04T10:00')
    await form.getByText('Sent as 2026-05-04T12:00:00+02:00').waitFor()
    await instant.fill('2026-01-02T03:04')
    await form.getByText('Sent as 2026-01-02T03:04:00Z').waitFor()
    await form.getByLabel('lines 1', { exact: true }).fill('a < b')
    await form.getByLabel('Content-Type').selectOption('application/xml')
    await form.getByLabel('lines 1', { exact: true }).waitFor()
    await form.getByRole('button', { name: 'Edit as text' }).click()
    const text = form.getByLabel('Body (application/xml)')
    const xml = await text.inputValue()
    expect(xml).toMatch(/<order id="\d+">\s*<at>2026-01-02T03:04:00Z<\/at>/)
    expect(xml).toContain('<lines><line>a &lt; b</line></lines>')

    await text.fill(xml.replace('</lines>', '<line>c</line></lines>'))
    await form.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('200').waitFor()
    const sent = await client.journal.get(await client.journal.last())
    expect(sent?.request.body).toContain('<line>c</line>')

    await form.getByLabel('Content-Type').selectOption('application/json')
    const json = form.getByLabel('Body (application/json)')
    expect(JSON.parse(await json.inputValue())).toMatchObject({
      ...{ id: expect.any(Number), at: '2026-01-02T03:04:00Z', lines: ['a < b', 'c'] },
    })
    await form.getByRole('button', { name: 'Restore values' }).click()
  })

  test('sends files as parts, and as a whole body', async () => {
    const { page } = dashboard
    const file = { name: `${HOSTILE}.png`, mimeType: 'image/png', buffer: Buffer.from('PNG!') }
    await open('upload')

    await page.getByLabel('note *').fill('n1')
    await page.getByLabel('photo *').setInputFiles(file)
    await page.getByRole('button', { name: 'Python' }).click()
    expect(await region('Code: Python').innerText()).toMatch(/"photo", \(".*\.png", open\(/)
    await send()
    await response().getByText('200').first().waitFor()
    const parts = (await latest())?.request.body ?? ''
    expect(parts).toMatch(/name="note"\r\n\r\nn1\r\n/)
    expect(parts).toMatch(/filename=".*\.png"\r\nContent-Type: image\/png\r\n\r\nPNG!\r\n/)

    await open('replace')
    await page.getByLabel('Body (image/png)').setInputFiles(file)
    await send()
    await response().getByText('200').first().waitFor()
    expect((await latest())?.request.body).toBe('PNG!')
    expect(await page.locator('img').count()).toBe(0)
  })

  test('draws a schema that contains itself, and one of 300 alternatives, as far as they are opened', async () => {
    await open('listTrees')
    const tree = region('Responses')
    const summaries = tree.locator('.schema-branch > summary')
    await summaries.first().click()
    for (let level = 1; level < 5; level += 1) {
      await summaries.nth(level).click()
      await summaries.nth(level + 1).waitFor()
    }
    expect(await summaries.count()).toBe(6)

    await open('addMany')
    const body = region('Request body')
    await body.getByText(`Many: one of ${ALTERNATIVES}`).waitFor()
    expect(await body.locator('.schema-branch').count()).toBe(41)
    await body.getByRole('button', { name: 'Show 260 more alternatives' }).click()
    await body.getByText('Alternative 300', { exact: true }).waitFor()
  })

  test('caused no error and loaded nothing from elsewhere', () => {
    expect(dashboard.pageErrors).toEqual([])
    expect(requested.filter((url) => !url.startsWith(dashboard.origin))).toEqual([])
  })
})

test('on a narrow screen, the response is in sight after it was sent', async () => {
  const { page, ...dashboard } = await openDocument(OPERATION_DOCUMENT, '/operations/findTickets', {
    width: 390,
    height: 844,
  })
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('button', { name: 'Send request' }).click()
  const status = page
    .getByRole('region', { name: 'Response', exact: true })
    .getByText('200')
    .first()
  await status.waitFor()
  await page.waitForFunction(() => {
    const { top = 0 } =
      document.querySelector('[aria-label="Response"]')?.getBoundingClientRect() ?? {}
    return top > 0 && top < innerHeight - 60
  })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBe(390)
  // One scroll bar: the part around the one that scrolls has nothing to scroll.
  const [all, visible] = await page.evaluate(() => {
    const { scrollHeight = 0, clientHeight = 0 } = document.querySelector('main') ?? {}
    return [scrollHeight, clientHeight]
  })
  expect(all).toBe(visible)
  await page.getByRole('link', { name: 'All operations' }).click()
  await page.getByText('7 of 7 operations').waitFor()

  await dashboard.show('/traffic')
  const button = page.getByRole('button', { name: 'Break findTickets' })
  const { x = 0, width: own = 0 } = (await button.boundingBox()) ?? {}
  expect(x + own).toBeLessThanOrEqual(390)
  await button.click()
  await page.getByRole('dialog', { name: 'Break findTickets' }).waitFor()
  await dashboard.close()
})

describe('a document', () => {
  const info = { title: 'A', version: '1' }
  const responses = { '200': { description: 'OK' } }

  test('without operations says so', async () => {
    const { page, close } = await openDocument({ openapi: '3.1.0', info, paths: {} }, '/operations')
    await page.getByText('The document has no operations').waitFor()
    await close()
  })

  test('that is unclear in two places has a hint with a name of its own for each, and the ids of its operations are readable', async () => {
    const text = { type: 'string' }
    const Label = { type: 'object', required: ['id'], properties: { id: text, name: text } }
    const label = { $ref: '#/components/schemas/Label' }
    const labels = { type: 'array', items: label }
    const shown = (schema: object) => ({
      '200': { description: 'OK', content: { 'application/json': { schema } } },
    })
    const inPath = (name: string) => ({ name, in: 'path', required: true, schema: text })
    const paths = {
      '/labels': { get: { operationId: 'listLabels', responses: shown(labels) } },
      '/labels/{id}': {
        get: { operationId: 'getLabel', parameters: [inPath('id')], responses: shown(label) },
      },
      '/{kind}/{id}/labels': {
        get: {
          operationId: 'listLabelsOfKind',
          parameters: [
            inPath('kind'),
            inPath('id'),
            { name: 'total', in: 'query', schema: { type: 'boolean' } },
          ],
          responses: shown(labels),
        },
      },
    }
    const size = { width: 1024, height: 768 }
    const document = { openapi: '3.1.0', info, paths, components: { schemas: { Label } } }
    const { page, close, show } = await openDocument(document, '/operations', size)

    const cut = await page.getByTitle('listLabelsOfKind').evaluate((id) => {
      const cell = id.closest('td')
      return cell === null || cell.scrollWidth > cell.clientWidth
    })
    expect(cut).toBe(false)
    await show('/operations/listLabelsOfKind')
    await page.getByRole('region', { name: 'Hint 2' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await close()
  })

  test('that takes any key gets one in a request that is corrected, and one of several values is marked', async () => {
    const key = { type: 'apiKey', in: 'header', name: 'X-Key' }
    const state = { type: 'array', items: { type: 'string', enum: ['new', 'old'] } }
    const refused = { description: 'No', content: { 'application/json': { schema: {} } } }
    const get = {
      operationId: 'listBooks',
      security: [{ key: [] }],
      parameters: [{ name: 'state', in: 'query', schema: state }],
      responses: { ...responses, '400': refused, '401': refused },
    }
    const document = {
      ...{ openapi: '3.1.0', info, paths: { '/books': { get } } },
      components: { securitySchemes: { key } },
    }
    const { page, command, client, show, close } = await openDocument(document, '/traffic')
    await fetch(`${command.base}/books?state=new&state=odd`, { headers: { 'X-Key': 'mine' } })
    await show(`/traffic/${await client.journal.last()}`)

    await page.getByRole('button', { name: 'Fix and resend…' }).click()
    const form = page.getByRole('form', { name: 'Fix and resend' })
    expect(await form.getByLabel('API key').inputValue()).toBe('sk_sandbox')
    await form.getByText('Allowed: new, old').waitFor()
    await form.getByLabel('query.state[1]').selectOption('old')
    await form.getByRole('button', { name: 'Send request' }).click()

    const now = form.getByRole('region', { name: 'Response now' })
    await now.getByText('200').first().waitFor()
    expect(await client.journal.get(await client.journal.last())).toMatchObject({
      target: '/books?state=new&state=old',
    })
    await close()
  })

  test('for which no valid request is known leaves the choice of a required value open', async () => {
    const kind = { name: 'kind', in: 'path', required: true, schema: { enum: ['cat', 'dog'] } }
    const never = { type: 'string', minLength: 5, maxLength: 1 }
    const parameters = [kind, { name: 'code', in: 'query', required: true, schema: never }]
    const paths = { '/pets/{kind}': { get: { operationId: 'listKind', parameters, responses } } }
    const document = { openapi: '3.1.0', info, paths }
    const { page, close } = await openDocument(document, '/operations/listKind')

    const choice = page.getByLabel('kind *')
    await choice.waitFor()
    expect(await choice.locator('option').allInnerTexts()).toEqual(['choose a value', 'cat', 'dog'])
    await close()
  })

  test('with 11,000 operations in 110 tags shows its tags closed, and opens the one of an operation', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 11_000 }, (_, at) => {
        const tags = [`Tag ${Math.floor(at / 100)}`]
        return [`/p${at}`, { get: { operationId: `o${at}`, tags, responses } }]
      }),
    )
    const document = { openapi: '3.1.0', info, paths }
    const { page, close, show } = await openDocument(document, '/operations')

    await page.getByText('11,000 of 11,000 operations').waitFor({ timeout: 30_000 })
    expect(await page.locator('tr.link-row').count()).toBe(0)
    const [start, end] = await Promise.all([colourAt(page, 300), colourAt(page, 1200)])
    expect(end).toEqual(start)
    expect(end).not.toEqual(await colourAt(page, 1200, 40))
    await page.getByLabel('Text').fill('p7700')
    await page.getByTitle('GET /p7700').click()
    await page
      .getByRole('region', { name: 'Operation o7700' })
      .getByText('/p7700')
      .first()
      .waitFor()
    await show('/operations/o10999')
    await page.getByRole('button', { name: 'Send request' }).waitFor()

    await show('/outcomes')
    await page.getByRole('button', { name: 'Show 10,950 more operations' }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(50)
    await page.getByLabel('Search operations').focus()
    for (const key of ['Tab', 'ArrowDown', 'ArrowDown', 'Space', 'Tab', 'Shift+Tab'])
      await page.keyboard.press(key)
    const focused = page.locator(':focus')
    expect(await focused.evaluate((element) => element.closest('label')?.innerText)).toMatch(/^o2/)
    await page.getByLabel('Search operations').fill('o10999')
    await page.getByText('GET /p10999').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(2)
    await page.getByLabel('Search operations').fill('')
    await page.getByLabel('o2 GET /p2').uncheck()
    await close()
  }, 90_000)
})

/** The colour of the page at some pixels from the left of the first row of a tag, and `above` pixels above its middle. */
async function colourAt(page: Page, x: number, above = 0): Promise<readonly number[]> {
  const { y = 0, height = 0 } = (await page.locator('.group-row').first().boundingBox()) ?? {}
  const clip = { x, y: y + height / 2 - above, width: 1, height: 1 }
  const image = await page.screenshot({ clip })
  // The policy of the dashboard forbids pictures.
  const blank = await page.context().newPage()
  const colour = await blank.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0)
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    context?.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0)
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])]
  }, image.toString('base64'))
  await blank.close()

  return colour
}
