import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' } as const
const COURSE = { ...objectOf(['id', 'name', 'code']), required: ['id', 'name'] }

test('a property with brackets is one of the record in the object', async () => {
  const { ask } = await openApi({
    'GET /courses': { shown: listOf(COURSE) },
    'POST /courses': {
      sent: objectOf({ 'course[name]': TEXT, 'course[code]': TEXT, 'enroll[now]': TEXT }),
      ...{ shown: COURSE, status: [201] },
    },
    'GET /courses/{id}': { shown: COURSE, status: [200, 404] },
    'PUT /courses/{id}': { sent: objectOf({ 'course[name]': TEXT }), shown: COURSE },
  })

  const created = await ask('POST /courses', { 'course[name]': 'Greek', 'course[code]': 'G1' })
  const { id } = created.body
  await ask(`PUT /courses/${id}`, { 'course[name]': 'Latin' })
  const read = await ask(`GET /courses/${id}`)

  expect(created.body).toEqual({ id, name: 'Greek', code: 'G1' })
  expect(read.body).toEqual({ id, name: 'Latin', code: 'G1' })
})

test('what a request has beside the record belongs to the record, if this has it as an object', async () => {
  const account = objectOf(['id', 'name'])
  const user = { ...objectOf({ id: TEXT, email: TEXT, account }), required: ['id'] }
  const { ask } = await openApi({
    'GET /users': { shown: listOf(user) },
    'POST /users': {
      sent: objectOf({ user: objectOf(['email']), account, return_url: TEXT }),
      ...{ shown: user, status: [201] },
    },
    'GET /users/{id}': { shown: user, status: [200, 404] },
  })

  const { body } = await ask('POST /users', {
    user: { email: 'a@example.com' },
    ...{ account: { id: '7', name: 'Acme' }, return_url: 'https://example.com' },
  })
  const read = await ask(`GET /users/${body.id}`)

  expect(read.body).toEqual({
    id: body.id,
    ...{ email: 'a@example.com', account: { id: '7', name: 'Acme' } },
  })
})

test('what a request names by its id is shown with that id, also where nothing says of which collection it is', async () => {
  const subject = objectOf({ gid: { type: 'string', example: '1234' }, name: TEXT })
  const hook = { ...objectOf({ id: TEXT, subject }), required: ['id'] }
  const { ask } = await openApi({
    'GET /hooks': { shown: listOf(hook) },
    'POST /hooks': { sent: objectOf(['subject']), shown: hook, status: [201] },
    'GET /hooks/{id}': { shown: hook, status: [200, 404] },
  })

  const { body } = await ask('POST /hooks', { subject: '77' })

  expect(body).toEqual({ id: body.id, subject: { gid: '77' } })
  expect((await ask(`GET /hooks/${body.id}`)).body).toEqual(body)
})

test('a record in a list changes the record that the path names', async () => {
  const invoice = objectOf(['id', 'status', 'note'])
  const invoices = objectOf({ invoices: listOf(invoice) })
  const { ask } = await openApi({
    'GET /invoices': { shown: invoices },
    'POST /invoices': { sent: invoices, shown: invoices },
    'GET /invoices/{id}': { shown: invoices, status: [200, 404] },
    'POST /invoices/{id}': { sent: invoices, shown: invoices },
  })

  const made = await ask('POST /invoices', { invoices: [{ status: 'DRAFT', note: 'n' }] })
  const { id } = Object([made.body.invoices].flat()[0])
  await ask(`POST /invoices/${id}`, { invoices: [{ status: 'SENT' }] })
  const read = await ask(`GET /invoices/${id}`)

  expect(read.body).toEqual({ invoices: [{ id, status: 'SENT', note: 'n' }] })
})

test('what both have is the same in a response without a record', async () => {
  const fee = { type: 'integer', maximum: 9 } as const
  const quote = objectOf({ amount: { type: 'integer' }, fee, to: objectOf(['iban', 'name']) })
  const { ask } = await openApi({
    'POST /quotes': { sent: quote, shown: { ...quote, required: ['amount', 'fee', 'to'] } },
    'POST /offers': {
      sent: quote,
      shown: { ...objectOf({ data: { ...quote, required: ['fee'] } }), required: ['data'] },
    },
  })
  const sent = { amount: 7, to: { iban: 'X1' }, other: 1 }

  const [quoted, offered] = [await ask('POST /quotes', sent), await ask('POST /offers', sent)]

  expect(quoted.body).toMatchObject({ amount: 7, to: { iban: 'X1' }, fee: expect.any(Number) })
  expect(quoted.body.other).toBeUndefined()
  expect(offered.body.data).toMatchObject({ amount: 7, to: { iban: 'X1' } })
})

describe('what the document does not allow, from a client that wants it served all the same', () => {
  const item = {
    ...objectOf({ id: TEXT, size: { type: 'integer', maximum: 10 }, name: TEXT }),
    required: ['id', 'size'],
  }
  const sent = objectOf({ size: { type: 'integer', maximum: 10 }, name: TEXT })

  test.each([
    ['in an envelope', objectOf({ data: listOf(item), total: { type: 'integer' } })],
    ['as a list', listOf(item)],
  ])('is shown as it was sent %s, and its neighbours stay as they are', async (_, shown) => {
    const { ask } = await openApi(
      {
        'GET /items': { shown, isUnsatisfiable: true },
        'POST /items': { sent, shown: item, status: [201], isUnsatisfiable: true },
        'GET /items/{id}': { shown: item, status: [200, 404], isUnsatisfiable: true },
        'PATCH /items/{id}': { sent, shown: item, status: [200, 404], isUnsatisfiable: true },
      },
      { validation: 'warn', records: 3 },
    )
    const { body: before } = await ask('GET /items')

    const { body: created } = await ask('POST /items', { size: 99, name: 'Large' })
    const { body: changed } = await ask(`PATCH /items/${created.id}`, { size: 'huge' })
    const { body: listed } = await ask('GET /items')

    expect(created).toEqual({ id: created.id, size: 99, name: 'Large' })
    expect(changed).toEqual({ id: created.id, size: 'huge', name: 'Large' })
    expect((await ask(`GET /items/${created.id}`)).body).toEqual(changed)
    const items = (body: object): unknown => ('data' in body ? body.data : body)
    expect(items(listed)).toEqual([...[items(before)].flat(), changed])
    if ('total' in listed) expect(listed.total).toBe(4)
  })
})

describe('query parameters that are called as properties of the record', () => {
  const CARD = objectOf({ id: TEXT, name: TEXT, closed: { type: 'boolean' }, version: TEXT })
  const card = { ...CARD, required: ['id', 'name', 'closed'] }
  const closed = { type: 'boolean' }

  test('are its values, in a creation, a change and an action', async () => {
    const { ask } = await openApi({
      'GET /cards': { shown: listOf(card) },
      'POST /cards': { query: { name: TEXT }, shown: card },
      'GET /cards/{id}': { shown: card, status: [200, 404] },
      'PUT /cards/{id}': { query: { closed, version: TEXT, name: closed }, shown: card },
      'POST /cards/{id}/rename': { query: { name: TEXT }, status: [204] },
    })

    const { body } = await ask('POST /cards?name=Fix%20it')
    const changed = await ask(`PUT /cards/${body.id}?closed=true&name=true&version=2`)
    await ask(`POST /cards/${body.id}/rename?name=Fixed`)
    const read = await ask(`GET /cards/${body.id}`)

    expect(body).toMatchObject({ name: 'Fix it', closed: false })
    expect(changed.body).toMatchObject({ name: 'Fix it', closed: true, version: body.version })
    expect(read.body).toMatchObject({ name: 'Fixed', closed: true })
  })

  test('may name the record', async () => {
    const volume = { ...objectOf(['name', 'driver']), required: ['name'] }
    const { ask } = await openApi({
      'GET /volumes': { shown: listOf(volume) },
      'POST /volumes': { query: { name: TEXT }, sent: objectOf(['driver']), shown: volume },
      'GET /volumes/{name}': { shown: volume, status: [200, 404] },
    })

    await ask('POST /volumes?name=data', { driver: 'local' })
    const read = await ask('GET /volumes/data')

    expect(read.body).toEqual({ name: 'data', driver: 'local' })
  })
})

describe('a body that the document does not describe', () => {
  const note = {
    ...objectOf({ id: TEXT, text: TEXT, stars: { type: 'integer' } }),
    required: ['id'],
  }
  const NOTES = {
    'GET /notes': { shown: listOf(note) },
    'POST /notes': { shown: note, status: [201] },
    'GET /notes/{id}': { shown: note, status: [200, 404] },
    'PUT /notes/{id}': { shown: note },
  }

  test('gives the record what it can have of it, and refuses nothing', async () => {
    const { ask } = await openApi(NOTES)

    const created = await ask('POST /notes', { text: 'Hello', stars: 'many', other: 1 })
    const changed = await ask(`PUT /notes/${created.body.id}`, { stars: 3 })
    const odd = await ask(`PUT /notes/${created.body.id}`, [1])

    expect(created).toMatchObject({ status: 201, body: { text: 'Hello' } })
    expect(created.body).not.toHaveProperty('other')
    expect(changed.body).toEqual({ id: created.body.id, text: 'Hello', stars: 3 })
    expect(odd.body).toEqual(changed.body)
  })

  test('may be no JSON, and has a size', async () => {
    const { sandbox } = await openApi(NOTES, { bodyLimit: 100 })
    const send = (body: string) =>
      sandbox.fetch(
        new Request('http://localhost/notes', {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json' },
        }),
      )

    const [broken, large] = await Promise.all([
      send('{"text'),
      send(JSON.stringify('x'.repeat(200))),
    ])

    expect([broken.status, large.status]).toEqual([201, 413])
  })

  test('may name the record, where the service does not number its records', async () => {
    const branch = { ...objectOf(['name', 'target']), required: ['name'] }
    const { ask } = await openApi({
      'GET /branches': { shown: listOf(branch) },
      'POST /branches': { shown: branch, status: [201] },
      'GET /branches/{name}': { shown: branch, status: [200, 404] },
    })

    await ask('POST /branches', { name: 'dev', target: 'main' })

    expect((await ask('GET /branches/dev')).body).toEqual({ name: 'dev', target: 'main' })
  })
})

test('a new record has the name, the size and the media type of the file that creates it', async () => {
  const shown = objectOf({
    ...{ id: TEXT, filename: TEXT, bytes: { type: 'integer' }, purpose: TEXT },
    ...{ mime_type: { type: 'string', maxLength: 10 }, file_size: TEXT },
  })
  const file = { type: 'string', format: 'binary' }
  const content = (schema: object): object => ({ 'application/json': { schema } })
  const contract = await loadDocumentOf({
    '/files': {
      post: {
        requestBody: {
          content: {
            'multipart/form-data': { schema: objectOf({ file, other: file, purpose: TEXT }) },
          },
        },
        responses: { 201: { description: '', content: content(shown) } },
      },
    },
    '/files/{id}': { get: { responses: { 200: { description: '', content: content(shown) } } } },
  })
  const sandbox = createSandbox({ contract })
  const send = async (...names: readonly string[]): Promise<Record<string, unknown>> => {
    const body = new FormData()
    const sent = new File(['größe'], 'größe.txt', { type: 'text/plain' })
    for (const name of names) body.append(name, sent)
    body.append('purpose', 'test')
    const request = new Request('http://localhost/files', { method: 'POST', body })
    return (await sandbox.fetch(request)).json()
  }

  expect(await send('file')).toMatchObject({
    ...{ filename: 'größe.txt', bytes: 7, purpose: 'test' },
    ...{ mime_type: 'text/plain', file_size: '7' },
  })
  expect(await send('file', 'other')).not.toMatchObject({ filename: 'größe.txt' })
})

test('a choice that requests have as its value is shown with its label', async () => {
  const values = ['planned', 'active']
  const status = objectOf({ value: { ...TEXT, enum: values }, label: { enum: ['Planned', 'On'] } })
  const shown = { ...objectOf({ id: TEXT, name: TEXT, status }), required: ['id', 'status'] }
  const sent = objectOf({ name: TEXT, status: { ...TEXT, enum: values } })
  const { ask } = await openApi({
    'GET /sites': { shown: listOf(shown) },
    'POST /sites': { sent, shown, status: [201] },
    'GET /sites/{id}': { shown, status: [200, 404] },
    'PATCH /sites/{id}': { sent, shown, status: [200, 404] },
  })

  const { body: created } = await ask('POST /sites', { name: 'A', status: 'planned' })
  const { body: changed } = await ask(`PATCH /sites/${created.id}`, { status: 'active' })

  expect(created.status).toEqual({ value: 'planned', label: 'Planned' })
  expect(changed).toEqual({ ...created, status: { value: 'active', label: 'On' } })
})

test('a single value that requests may have instead of a list is shown as a list', async () => {
  const addresses = { type: 'array', items: { type: 'string' } }
  const cc = { type: 'array', items: { type: ['string', 'null'] } }
  const mail = { ...objectOf({ id: TEXT, to: addresses, cc }), required: ['id', 'to'] }
  const to = { oneOf: [{ type: 'string' }, addresses] }
  const { ask } = await openApi({
    'GET /mails': { shown: listOf(mail) },
    'POST /mails': { sent: objectOf({ to }), shown: mail, status: [201] },
    'GET /mails/{id}': { shown: mail },
    'PATCH /mails/{id}': { sent: objectOf({ cc: {} }), shown: mail },
  })

  const one = (await ask('POST /mails', { to: 'ann@example.com' })).body
  const two = (await ask('POST /mails', { to: ['ann@example.com', 'bob@example.com'] })).body

  expect(one.to).toEqual(['ann@example.com'])
  expect((await ask(`GET /mails/${one.id}`)).body).toEqual(one)
  expect(two.to).toEqual(['ann@example.com', 'bob@example.com'])
  const emptied = (await ask(`PATCH /mails/${one.id}`, { cc: null })).body
  expect(emptied.cc).not.toEqual([null])
})

test('a query parameter that a creation needs is a value of the record, which its body may have, too', async () => {
  const hook = objectOf({ id: { type: 'integer' }, site_id: TEXT, event: TEXT })
  const { ask } = await openApi({
    'GET /hooks': { shown: listOf(hook), query: { site_id: TEXT }, needs: ['site_id'] },
    'POST /hooks': {
      ...{ sent: hook, shown: hook, status: [201] },
      ...{ query: { site_id: TEXT }, needs: ['site_id'] },
    },
    'GET /hooks/{id}': { shown: hook, status: [200, 404] },
  })

  const { body } = await ask('POST /hooks?site_id=s1', { event: 'built' })

  expect(body).toMatchObject({ site_id: 's1', event: 'built' })
  expect((await ask('GET /hooks?site_id=s1')).body).toEqual([body])
})

test('a POST creates the record of its path where nothing else does', async () => {
  const file = objectOf({ path: TEXT, content: TEXT })
  const { ask } = await openApi({
    'GET /contents/{path}': { shown: file, status: [200, 404] },
    'POST /contents/{path}': { sent: objectOf(['content']), shown: file, status: [201] },
  })

  const { body, status } = await ask('POST /contents/a.txt', { content: 'Hello' })

  expect([status, body]).toEqual([201, { path: 'a.txt', content: 'Hello' }])
  expect((await ask('GET /contents/a.txt')).body).toEqual(body)
})

test('a text is the main value of an object that records show instead, unless that is another record', async () => {
  const branch = objectOf({ label: TEXT, ref: TEXT, sha: TEXT })
  const pull = objectOf({ id: TEXT, head: branch, owner: objectOf({ id: TEXT, ref: TEXT }) })
  const { ask } = await openApi({
    'POST /pulls': { sent: objectOf({ head: TEXT, owner: TEXT }), shown: pull, status: [201] },
    'GET /pulls/{id}': { shown: pull, status: [200, 404] },
  })

  const { body } = await ask('POST /pulls', { head: 'fix', owner: 'ann' })

  expect(body.head).toMatchObject({ ref: 'fix' })
  expect(body.owner).not.toMatchObject({ ref: 'ann' })
  expect((await ask(`GET /pulls/${body.id}`)).body).toEqual(body)
})
