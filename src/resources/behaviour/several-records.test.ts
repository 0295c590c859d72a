import { describe, expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer' } as const
const TEXT = { type: 'string' } as const
const CONTACT = { ...objectOf({ id: ID, name: TEXT, city: TEXT }), required: ['id', 'name'] }
const NEW = { ...objectOf(['name', 'city']), required: ['name'] }
const LISTED = objectOf({ contacts: listOf(CONTACT) })
const KNOWN: DocumentedApi = {
  'GET /contacts': { shown: LISTED },
  'GET /contacts/{id}': { shown: CONTACT, status: [200, 404] },
}

interface Contact {
  readonly id: number
  readonly name: string
}
interface Contacts {
  readonly contacts: readonly Contact[]
}

describe('a creation with a list of records', () => {
  const WRAPPED: DocumentedApi = {
    ...KNOWN,
    'POST /contacts': { sent: objectOf({ contacts: listOf(NEW) }), shown: LISTED, status: [201] },
  }

  test('creates one for each item, and shows them in this order', async () => {
    const { ask } = await openApi(WRAPPED)

    const { body } = await ask<Contacts>('POST /contacts', {
      contacts: [{ name: 'Ada' }, { name: 'Bob', city: 'Bern' }],
    })
    const { body: all } = await ask<Contacts>('GET /contacts')

    expect(body.contacts.map(({ name }) => name)).toEqual(['Ada', 'Bob'])
    expect(all.contacts).toEqual(expect.arrayContaining([...body.contacts]))
    for (const one of body.contacts)
      expect((await ask(`GET /contacts/${one.id}`)).body).toMatchObject({ ...one })
  })

  test('creates none of an empty list', async () => {
    const { ask } = await openApi(WRAPPED)
    const { body: before } = await ask('GET /contacts')

    const { body } = await ask('POST /contacts', { contacts: [] })

    expect(body).toEqual({ contacts: [] })
    expect((await ask('GET /contacts')).body).toEqual(before)
  })

  test('may be a bare list, and answer with one', async () => {
    const { ask } = await openApi({
      ...KNOWN,
      'POST /contacts': { sent: listOf(NEW), shown: listOf(CONTACT), status: [201] },
    })

    const { body } = await ask<readonly Contact[]>('POST /contacts', [
      { name: 'Ada' },
      { name: 'Bob' },
    ])

    expect(body.map(({ name }) => name)).toEqual(['Ada', 'Bob'])
    expect(new Set(body.map(({ id }) => id)).size).toBe(2)
    expect((await ask(`GET /contacts/${body[1]?.id}`)).body).toMatchObject({ name: 'Bob' })
  })

  test('has a path of its own, such as /bulk', async () => {
    const { ask } = await openApi({
      ...KNOWN,
      'POST /contacts': { sent: NEW, shown: CONTACT, status: [201] },
      'POST /contacts/bulk': { sent: listOf(NEW), shown: listOf(CONTACT), status: [201] },
    })

    const { body } = await ask<readonly Contact[]>('POST /contacts/bulk', [{ name: 'Ada' }])

    expect((await ask(`GET /contacts/${body[0]?.id}`)).body).toMatchObject({ name: 'Ada' })
  })

  test('creates all or none', async () => {
    const { ask, sandbox } = await openApi({
      'GET /tags': { shown: listOf(objectOf(['name'])) },
      'POST /tags': {
        sent: listOf({ ...objectOf(['name']), required: ['name'] }),
        shown: listOf(objectOf(['name'])),
        status: [201, 409],
      },
      'GET /tags/{name}': { shown: objectOf(['name']), status: [200, 404] },
    })
    await ask('POST /tags', [{ name: 'taken' }])
    const before = await sandbox.collection('tags').list()

    const { status } = await ask('POST /tags', [{ name: 'new' }, { name: 'taken' }])

    expect(status).toBe(409)
    expect(await sandbox.collection('tags').list()).toEqual(before)
  })

  test('moves the count of the record above by as many', async () => {
    const { ask } = await openApi({
      'POST /posts': { sent: objectOf(['text']), shown: POST, status: [201] },
      'GET /posts/{id}': { shown: POST, status: [200, 404] },
      'GET /posts/{id}/comments': { shown: listOf(COMMENT) },
      'POST /posts/{id}/comments': { sent: listOf(objectOf(['text'])), shown: listOf(COMMENT) },
    })
    const { body: post } = await ask('POST /posts', { text: 'Hello' })

    await ask(`POST /posts/${post.id}/comments`, [{ text: 'One' }, { text: 'Two' }])

    expect((await ask(`GET /posts/${post.id}`)).body).toMatchObject({ comments_count: 2 })
  })

  const COMMENT = objectOf({ id: ID, text: TEXT })
  const POST = objectOf({ id: ID, text: TEXT, comments_count: ID })
})

describe('records that a request on their collection names', () => {
  test.each<[how: string, operation: string, api: DocumentedApi, target: string, body?: unknown]>([
    [
      'in the query',
      'DELETE /contacts',
      { 'DELETE /contacts': { query: { ids: listOf(ID) }, status: [204] } },
      'DELETE /contacts?ids=1&ids=2',
    ],
    [
      'as a text in the query',
      'DELETE /contacts',
      { 'DELETE /contacts': { query: { contact_ids: TEXT }, status: [204] } },
      'DELETE /contacts?contact_ids=1,2',
    ],
    [
      'in the body',
      'DELETE /contacts',
      { 'DELETE /contacts': { sent: objectOf({ ids: listOf(ID) }), status: [204] } },
      'DELETE /contacts',
      { ids: [1, 2] },
    ],
    [
      'as a list of records',
      'DELETE /contacts',
      { 'DELETE /contacts': { sent: listOf(objectOf({ id: ID })), status: [204] } },
      'DELETE /contacts',
      [{ id: 1 }, { id: 2 }],
    ],
    [
      'on a path for many',
      'POST /contacts/bulk-delete',
      { 'POST /contacts/bulk-delete': { sent: objectOf({ ids: listOf(ID) }), status: [204] } },
      'POST /contacts/bulk-delete',
      { ids: [1, 2] },
    ],
  ])('are removed, named %s', async (_how, _operation, api, target, body) => {
    const { ask } = await openApi({ ...KNOWN, ...api })

    const { status } = await ask(target, body)

    expect(status).toBe(204)
    expect((await ask('GET /contacts/1')).status).toBe(404)
    expect((await ask('GET /contacts/2')).status).toBe(404)
    expect((await ask('GET /contacts/3')).status).toBe(200)
  })

  test('are changed, each as its item says', async () => {
    const { ask } = await openApi({
      ...KNOWN,
      'PATCH /contacts': { sent: objectOf({ contacts: listOf(CONTACT) }), shown: LISTED },
    })

    const { body } = await ask<Contacts>('PATCH /contacts', {
      contacts: [
        { id: 2, name: 'Two' },
        { id: 1, name: 'One' },
      ],
    })

    expect(body.contacts.map(({ id, name }) => `${id} ${name}`)).toEqual(['2 Two', '1 One'])
    expect((await ask('GET /contacts/2')).body).toMatchObject({ name: 'Two' })
  })

  test('are all changed to what the request says besides', async () => {
    const { ask } = await openApi({
      ...KNOWN,
      'PATCH /contacts': { sent: objectOf({ ids: listOf(ID), city: TEXT }), shown: LISTED },
    })

    await ask('PATCH /contacts', { ids: [1, 2], city: 'Bern' })

    for (const id of [1, 2]) {
      const { body } = await ask(`GET /contacts/${id}`)
      expect(body).toMatchObject({ id, city: 'Bern' })
      expect(body).not.toHaveProperty('ids')
    }
  })

  test('are changed all or none', async () => {
    const { ask } = await openApi({
      ...KNOWN,
      'PATCH /contacts': { sent: listOf(CONTACT), shown: listOf(CONTACT), status: [200, 404] },
    })
    const { body: before } = await ask('GET /contacts/1')

    const { status } = await ask('PATCH /contacts', [
      { id: 1, name: 'One' },
      { id: 999, name: 'Nobody' },
    ])

    expect(status).toBe(404)
    expect((await ask('GET /contacts/1')).body).toEqual(before)
  })
})

describe('a PUT on the collection with an id in its body', () => {
  const FREE: DocumentedApi = { ...KNOWN, 'PUT /contacts': { sent: CONTACT, shown: CONTACT } }

  test('replaces the record that has it', async () => {
    const { ask } = await openApi(FREE)

    const { body } = await ask('PUT /contacts', { id: 1, name: 'One' })

    expect(body).toMatchObject({ id: 1, name: 'One' })
    expect((await ask('GET /contacts/1')).body).toMatchObject({ name: 'One' })
  })

  test('adds a record where none has it', async () => {
    const { ask } = await openApi(FREE)

    const { body } = await ask('PUT /contacts', { id: 777, name: 'New' })

    expect(body).toMatchObject({ id: 777, name: 'New' })
    expect((await ask('GET /contacts/777')).body).toMatchObject({ name: 'New' })
  })

  test('is a 404 where the document has one for it', async () => {
    const { ask } = await openApi({
      ...KNOWN,
      'PUT /contacts': { sent: CONTACT, shown: CONTACT, status: [200, 404] },
    })

    expect((await ask('PUT /contacts', { id: 777, name: 'New' })).status).toBe(404)
    expect((await ask('PUT /contacts', { id: 1, name: 'One' })).body).toMatchObject({ name: 'One' })
  })
})

test('an upsert changes the record that it names, and else creates one', async () => {
  const { ask } = await openApi({
    ...KNOWN,
    'POST /contacts/upsert': { sent: objectOf({ id: ID, name: TEXT, city: TEXT }), shown: CONTACT },
  })

  const { body: created } = await ask('POST /contacts/upsert', { name: 'Ada', city: 'Bern' })
  const { body: changed } = await ask('POST /contacts/upsert', { id: created.id, name: 'Bea' })

  expect(changed).toEqual({ id: created.id, name: 'Bea', city: 'Bern' })
  expect((await ask(`GET /contacts/${created.id}`)).body).toEqual(changed)
})

test('a creation described as an upsert changes the record that it names', async () => {
  const { ask } = await openApi({
    ...KNOWN,
    'POST /contacts': {
      summary: 'Create or update a contact',
      ...{ sent: objectOf({ id: ID, name: TEXT, city: TEXT }), shown: CONTACT },
    },
  })

  const { body: created } = await ask('POST /contacts', { id: 900, name: 'Ada', city: 'Bern' })
  const { body: changed } = await ask('POST /contacts', { id: 900, name: 'Bea' })

  const { body: other } = await ask('POST /contacts', { id: 0, name: 'Cleo', city: 'Oslo' })

  expect(created).toEqual({ id: 900, name: 'Ada', city: 'Bern' })
  expect(changed).toEqual({ id: 900, name: 'Bea', city: 'Bern' })
  // Typed clients send 0 for an id that they do not set.
  expect(other).toEqual({ id: 901, name: 'Cleo', city: 'Oslo' })
})

test.each([
  'Create or update a contact by email',
  'Creates a contact, or updates the contact with this e-mail.',
  'If a contact with the email exists, it is updated.',
])('a creation changes the record that has a value of the request, as %j says', async (summary) => {
  const shown = objectOf({ id: ID, email: TEXT, name: TEXT, city: TEXT })
  const sent = objectOf(['email', 'name', 'city'])
  const { ask } = await openApi({
    'GET /contacts': { shown: listOf(shown) },
    'GET /contacts/{id}': { shown, path: { id: ID } },
    'POST /contacts': { summary, sent, shown, status: [200, 201] },
  })

  const first = await ask('POST /contacts', { email: 'a@b.co', name: 'Ada', city: 'Bern' })
  const second = await ask('POST /contacts', { email: 'a@b.co', name: 'Bea' })
  const other = await ask('POST /contacts', { email: 'c@b.co', name: 'Bea' })

  expect([first, second, other].map(({ status }) => status)).toEqual([201, 200, 201])
  expect(second.body).toEqual({ ...first.body, name: 'Bea' })
  expect(other.body.id).not.toBe(first.body.id)
})

test('a record beside other things in a request is what is stored', async () => {
  const { ask } = await openApi({
    ...KNOWN,
    'POST /contacts': {
      sent: objectOf({ contact: NEW, notify: { type: 'boolean' } }),
      shown: CONTACT,
      status: [201],
    },
  })

  const { body } = await ask('POST /contacts', { contact: { name: 'Ada' }, notify: true })

  expect(body).toMatchObject({ name: 'Ada' })
  expect((await ask(`GET /contacts/${body.id}`)).body).not.toHaveProperty('notify')
})

describe('a removal on the path of a collection', () => {
  const BOOK = { ...objectOf({ id: ID, shelf: TEXT }), required: ['id', 'shelf'] }
  const BOOKS: DocumentedApi = {
    'GET /books': { shown: listOf(BOOK) },
    'POST /books': { sent: objectOf(['shelf']), shown: BOOK, status: [201] },
    'GET /books/{id}': { shown: BOOK, status: [200, 404] },
  }
  const removal = { query: { shelf: TEXT }, status: [204] }

  test('removes all records, or those that its query selects, where the document says that many are meant', async () => {
    const { ask } = await openApi({
      ...BOOKS,
      'DELETE /books': { ...removal, summary: 'Delete all books' },
    })
    const { body: kept } = await ask('POST /books', { shelf: 'b' })
    const { body: removed } = await ask('POST /books', { shelf: 'a' })

    await ask('DELETE /books?shelf=a')
    const [one, other] = [await ask(`GET /books/${kept.id}`), await ask(`GET /books/${removed.id}`)]
    await ask('DELETE /books')

    expect([one.status, other.status]).toEqual([200, 404])
    expect((await ask('GET /books')).body).toEqual([])
  })

  test('removes those that its required parameters select', async () => {
    const { ask } = await openApi({
      ...BOOKS,
      'DELETE /books': { ...removal, needs: ['shelf'], summary: 'Delete by shelf' },
    })
    const { body: kept } = await ask('POST /books', { shelf: 'b' })
    const { body: removed } = await ask('POST /books', { shelf: 'a' })

    await ask('DELETE /books?shelf=a')
    await ask('DELETE /books?shelf=unknown')

    expect((await ask(`GET /books/${kept.id}`)).status).toBe(200)
    expect((await ask(`GET /books/${removed.id}`)).status).toBe(404)
    expect(Object((await ask('GET /books')).body).length).toBeGreaterThan(1)
  })

  test('removes none where it speaks of one', async () => {
    const { ask } = await openApi({
      ...BOOKS,
      'DELETE /books': { ...removal, summary: 'Delete a book' },
    })
    const before = await ask('GET /books')

    await ask('DELETE /books')

    expect((await ask('GET /books')).body).toEqual(before.body)
  })
})

describe('a path below a record with the word for what it is in', () => {
  const JOB = {
    ...objectOf({ id: ID, name: TEXT, done: { type: 'boolean' } }),
    required: ['id', 'name', 'done'],
  }
  const JOBS: DocumentedApi = {
    'GET /jobs': { shown: listOf(JOB) },
    'POST /jobs': { sent: objectOf(['name']), shown: JOB, status: [201] },
    'GET /jobs/{id}': { shown: JOB, status: [200, 404] },
  }

  test('leads to the record, if it shows all of it', async () => {
    const { ask } = await openApi({
      ...JOBS,
      'GET /jobs/{id}/status': { shown: JOB, status: [200, 404] },
      'PUT /jobs/{id}/status': { sent: objectOf({ done: { type: 'boolean' } }), shown: JOB },
      'GET /jobs/{id}/parent': { shown: JOB },
    })
    const { body } = await ask('POST /jobs', { name: 'Sweep' })

    await ask(`PUT /jobs/${body.id}/status`, { done: true })
    const [whole, status, parent] = [
      await ask(`GET /jobs/${body.id}`),
      await ask(`GET /jobs/${body.id}/status`),
      await ask(`GET /jobs/${body.id}/parent`),
    ]

    expect(whole.body).toEqual({ id: body.id, name: 'Sweep', done: true })
    expect(status.body).toEqual(whole.body)
    expect(parent.body).not.toEqual(whole.body)
    expect((await ask('GET /jobs/999/status')).status).toBe(404)
  })
})

describe.each([
  ['a text', TEXT],
  ['a list', listOf(TEXT)],
])('a list that must name its records by %s', (_form, ids) => {
  const NAMED: DocumentedApi = {
    ...KNOWN,
    'GET /contacts': { shown: LISTED, query: { ids }, needs: ['ids'] },
    'POST /contacts': { sent: NEW, shown: CONTACT, status: [201] },
  }

  test('shows these in their order, without those that do not exist', async () => {
    const { ask } = await openApi(NAMED)
    const { body: ada } = await ask<Contact>('POST /contacts', { name: 'Ada' })
    const { body: bob } = await ask<Contact>('POST /contacts', { name: 'Bob' })

    const { body } = await ask<Contacts>(`GET /contacts?ids=${bob.id},999999,${ada.id}`)

    expect(body.contacts.map(({ name }) => name)).toEqual(['Bob', 'Ada'])
    expect((await ask<Contacts>('GET /contacts?ids=999999')).body).toEqual({ contacts: [] })
  })

  test('shows one for each id where reading makes one', async () => {
    const { ask } = await openApi({ ...NAMED, 'GET /contacts/{id}': { shown: CONTACT } })

    const { body } = await ask<Contacts>('GET /contacts?ids=901,900')

    expect(body.contacts).toEqual([
      (await ask('GET /contacts/901')).body,
      (await ask('GET /contacts/900')).body,
    ])
  })
})

describe('a copy of a record', () => {
  const CARD = {
    ...objectOf({
      ...{ id: ID, name: TEXT, city: TEXT, slug: TEXT, shoe_size: ID },
      created_at: { type: 'string', format: 'date-time' },
    }),
    required: ['id', 'name', 'city', 'slug', 'shoe_size', 'created_at'],
  }
  const CARDS: DocumentedApi = {
    'GET /cards': { shown: listOf(CARD) },
    'POST /cards': { sent: objectOf(['name', 'city']), shown: CARD, status: [201] },
    'GET /cards/{id}': { shown: CARD, status: [200, 404] },
    'POST /cards/{id}/clone': { sent: objectOf(['name']), shown: CARD, status: [201, 404] },
  }

  test('has what the record has, but for what is new and what the client sent', async () => {
    const { ask, sandbox } = await openApi(CARDS)
    const { body: first } = await ask('POST /cards', { name: 'Ada', city: 'Bern' })
    sandbox.clock.advance('1h')

    const { body: copy } = await ask(`POST /cards/${first.id}/clone`, { name: 'Bob' })

    expect(copy).toMatchObject({ name: 'Bob', city: 'Bern', shoe_size: first.shoe_size })
    expect(copy.id).not.toBe(first.id)
    expect(copy.slug).not.toBe(first.slug)
    expect(copy.created_at).not.toBe(first.created_at)
    expect((await ask(`GET /cards/${copy.id}`)).body).toEqual(copy)
    expect((await ask(`GET /cards/${first.id}`)).body).toMatchObject({ name: 'Ada' })
    expect((await ask('POST /cards/99999/clone', { name: 'Eve' })).status).toBe(404)
  })
})

describe('a creation with a list of what is below the new record', () => {
  const POOL = { ...objectOf({ id: ID, kind: TEXT, count: ID }), required: ['id', 'kind', 'count'] }
  const CLUSTER = {
    ...objectOf({ id: ID, label: TEXT, pools_count: ID }),
    required: ['id', 'label', 'pools_count'],
  }
  const CLUSTERS: DocumentedApi = {
    'GET /clusters': { shown: listOf(CLUSTER) },
    'POST /clusters': {
      sent: objectOf({ label: TEXT, node_pools: listOf(objectOf({ kind: TEXT, count: ID })) }),
      shown: CLUSTER,
      status: [201],
    },
    'GET /clusters/{id}': { shown: CLUSTER, status: [200, 404] },
    'GET /clusters/{id}/pools': { shown: listOf(POOL), status: [200, 404] },
    'POST /clusters/{id}/pools': {
      sent: objectOf({ kind: TEXT, count: ID }),
      shown: POOL,
      status: [201],
    },
    'GET /clusters/{id}/pools/{poolId}': { shown: POOL, status: [200, 404] },
  }
  interface Pool {
    readonly id: number
  }

  test('adds these, and counts them', async () => {
    const { ask } = await openApi(CLUSTERS)

    const { body: one } = await ask('POST /clusters', {
      label: 'a',
      node_pools: [
        { kind: 'small', count: 3 },
        { kind: 'large', count: 1 },
      ],
    })
    const { body: none } = await ask('POST /clusters', { label: 'b' })
    const { body: pools } = await ask<readonly Pool[]>(`GET /clusters/${one.id}/pools`)

    expect(pools).toMatchObject([
      { kind: 'small', count: 3 },
      { kind: 'large', count: 1 },
    ])
    expect((await ask(`GET /clusters/${one.id}/pools/${pools[0]?.id}`)).body).toEqual(pools[0])
    expect((await ask(`GET /clusters/${one.id}`)).body).toMatchObject({ pools_count: 2 })
    expect((await ask(`GET /clusters/${none.id}/pools`)).body).toEqual([])
  })

  test('adds none of an item that cannot be a record, and leaves out what such records do not have', async () => {
    const { ask } = await openApi({
      ...CLUSTERS,
      'POST /clusters': {
        sent: objectOf({
          label: TEXT,
          node_pools: listOf(objectOf({ id: ID, kind: TEXT, count: ID, zone: TEXT })),
        }),
        shown: CLUSTER,
        status: [201],
      },
    })

    const { body: one, status } = await ask('POST /clusters', {
      label: 'a',
      node_pools: [
        { id: 7, kind: 'small', count: 3, zone: 'a' },
        { id: 7, kind: 'large', count: 1 },
      ],
    })
    const { body: pools } = await ask(`GET /clusters/${one.id}/pools`)

    expect(status).toBe(201)
    expect(pools).toEqual([{ id: 7, kind: 'small', count: 3 }])
  })

  test('adds nothing when it is refused', async () => {
    const { ask } = await openApi(CLUSTERS)
    const { body: before } = await ask('GET /clusters')

    const { status } = await ask('POST /clusters', { label: 'a', node_pools: [{ count: 'many' }] })

    expect(status).toBe(400)
    expect((await ask('GET /clusters')).body).toEqual(before)
  })
})

describe('a list of values', () => {
  const entry = { ...objectOf(['id', 'email', 'origin']), required: ['id', 'email', 'origin'] }
  const entries = {
    'GET /suppressions': { shown: listOf(entry) },
    'POST /suppressions': { sent: objectOf(['email']), shown: entry, status: [201] },
    'GET /suppressions/{id}': { shown: entry, status: [200, 404] },
    'POST /suppressions/batch/add': {
      sent: objectOf({ emails: listOf({ type: 'string' }) }),
      ...{ shown: objectOf({ data: listOf(objectOf(['id'])) }), status: [201] },
    },
    'POST /suppressions/batch/remove': {
      sent: objectOf({ ids: listOf({ type: 'string' }) }),
      ...{ shown: objectOf({ data: listOf(objectOf(['id'])) }), status: [200] },
    },
  } as const

  test('adds a record of each, and a path in two words removes them', async () => {
    const { ask } = await openApi(entries)
    const emails = ['a@example.com', 'b@example.com']

    const { body } = await ask('POST /suppressions/batch/add', { emails })
    const ids: readonly string[] = Object(body.data).map(({ id }: { readonly id: string }) => id)
    const read = await Promise.all(ids.map((id) => ask(`GET /suppressions/${id}`)))
    await ask('POST /suppressions/batch/remove', { ids })

    expect(read.map((one) => one.body.email)).toEqual(emails)
    expect((await ask(`GET /suppressions/${ids[0]}`)).status).toBe(404)
  })
})

describe('a path for one record beside the list', () => {
  const named = { query: { id: ID }, needs: ['id'], status: [200, 404] }
  const api: DocumentedApi = {
    'GET /contacts': { shown: listOf(CONTACT) },
    'POST /contact': { sent: NEW, shown: CONTACT, status: [201] },
    'GET /contact': { ...named, shown: CONTACT },
    'PUT /contact': { ...named, sent: NEW, shown: CONTACT },
    'DELETE /contact': { ...named, status: [204, 404] },
  }

  test('adds a record, and reads, changes and removes the one that its query names', async () => {
    const { ask, sandbox } = await openApi(api)

    const { body: one } = await ask<Contact>('POST /contact', { name: 'Ada' })
    const { body: read } = await ask(`GET /contact?id=${one.id}`)
    await ask(`PUT /contact?id=${one.id}`, { name: 'Bob' })
    const { body: changed } = await ask<readonly Contact[]>('GET /contacts')
    const removed = await ask(`DELETE /contact?id=${one.id}`)
    const { body: left } = await ask<readonly Contact[]>('GET /contacts')

    expect(sandbox.collections).toEqual(['contacts'])
    expect(read).toEqual(one)
    expect(changed.find(({ id }) => id === one.id)).toMatchObject({ name: 'Bob' })
    expect(removed.status).toBe(204)
    expect(left.filter(({ id }) => id === one.id)).toEqual([])
    expect((await ask(`GET /contact?id=${one.id}`)).status).toBe(404)
  })

  test('is a record of its own where its schema or its parameters are other ones', async () => {
    const settings = objectOf({ theme: TEXT, language: TEXT })
    const { sandbox } = await openApi({
      'GET /contacts': { shown: listOf(CONTACT) },
      'GET /contact': { shown: settings },
      'PUT /contact': { sent: settings, shown: settings },
    })

    expect(sandbox.collections).toEqual(['contacts', 'contact'])
  })
})

describe('a request whose path says what happens to the records that it names', () => {
  const archived_at = { type: ['string', 'null'], format: 'date-time' }
  const FILE = objectOf({ id: ID, name: TEXT, state: { enum: ['open', 'archived'] }, archived_at })
  const FILES: DocumentedApi = {
    'GET /files': { shown: listOf(FILE) },
    'POST /files': { sent: objectOf(['name']), shown: FILE, status: [201] },
    'GET /files/{id}': { shown: FILE, status: [200, 404] },
    'POST /files/bulk-archive': {
      sent: objectOf({ ids: { type: 'array', items: ID } }),
      shown: objectOf({ files: listOf(FILE) }),
    },
    'POST /files/batch-retrieve': {
      sent: objectOf({ file_ids: { type: 'array', items: ID } }),
      shown: objectOf({ files: listOf(FILE) }),
    },
  }

  test('does to each what the action does to one', async () => {
    const { ask } = await openApi(FILES)
    const { body: one } = await ask<Contact>('POST /files', { name: 'One' })
    const { body: two } = await ask<Contact>('POST /files', { name: 'Two' })

    const { body } = await ask('POST /files/bulk-archive', { ids: [two.id, one.id] })

    const archived = { state: 'archived', archived_at: expect.any(String) }
    expect(body).toEqual({ files: [two, one].map((file) => ({ ...file, ...archived })) })
    expect((await ask(`GET /files/${one.id}`)).body).toMatchObject(archived)
  })

  test('shows those that exist, in the order of the request', async () => {
    const { ask } = await openApi(FILES)
    const { body: one } = await ask<Contact>('POST /files', { name: 'One' })
    const { body: two } = await ask<Contact>('POST /files', { name: 'Two' })

    const { body } = await ask('POST /files/batch-retrieve', {
      file_ids: [two.id, 999_999, one.id],
    })

    expect(body).toEqual({ files: [two, one] })
  })
})

test('the removal of several records says how many it has removed', async () => {
  const TAG = objectOf({ id: ID, name: TEXT })
  const shown = objectOf({ deleted: { type: 'integer' } })
  const { ask } = await openApi({
    'GET /tags': { shown: listOf(TAG) },
    'POST /tags/bulk-delete': { sent: objectOf({ ids: listOf(ID) }), shown },
    'GET /tags/{id}': { shown: TAG, status: [200, 404], path: { id: ID } },
  })

  const { body } = await ask('POST /tags/bulk-delete', { ids: [1, 2, 3] })

  expect(body.deleted).toBe(3)
})

test('ids beside one record or several are those of the records, also where a response may have both', async () => {
  const either = objectOf({ contact: CONTACT, contacts: listOf(CONTACT), contact_ids: listOf(ID) })
  const shown = { ...either, required: ['contact_ids'] }
  const { ask } = await openApi({
    ...KNOWN,
    'POST /contacts': { sent: objectOf({ contact: NEW, contacts: listOf(NEW) }), shown },
    'PATCH /contacts': {
      sent: objectOf({ contacts: listOf(objectOf({ id: ID, name: TEXT, city: TEXT })) }),
      shown,
    },
  })
  const { body: one } = await ask('POST /contacts', { contact: { name: 'Ada' } })
  const { body: two } = await ask('POST /contacts', { contacts: [{ name: 'Bob' }, { name: 'Cy' }] })
  const [id] = one.contact_ids as number[]
  const { body: changed } = await ask('PATCH /contacts', { contacts: [{ id, city: 'Bern' }] })

  expect(one.contact).toMatchObject({ id, name: 'Ada' })
  expect(two.contact_ids).toEqual((two.contacts as Contact[]).map((contact) => contact.id))
  expect(changed).toMatchObject({
    contact_ids: [id],
    contacts: [{ id, name: 'Ada', city: 'Bern' }],
  })
})

describe('a request with lists of what to create, to change and to remove', () => {
  const id = { type: 'integer' } as const
  const item = { ...objectOf({ id, name: { type: 'string' } }), required: ['id', 'name'] }
  const name = { ...objectOf(['name']), required: ['name'] }
  const change = { ...objectOf({ id, name: { type: 'string' } }), required: ['id'] }
  const lists = { create: listOf(name), update: listOf(change), delete: listOf(id) }
  const shown = objectOf({ create: listOf(item), update: listOf(item), delete: listOf(item) })
  const open = () =>
    openApi({
      'GET /items': { shown: listOf(item) },
      'POST /items': { sent: name, shown: item, status: [201] },
      'GET /items/{id}': { shown: item, status: [200, 404] },
      'POST /items/batch': { sent: objectOf(lists), shown },
    })

  test('does what its only list says', async () => {
    const { ask } = await open()

    const { body: added } = await ask('POST /items/batch', {
      create: [{ name: 'a' }, { name: 'b' }],
    })
    const [{ id: first }, { id: second }] = added.create as [{ id: number }, { id: number }]
    const { body: changed } = await ask('POST /items/batch', {
      create: [],
      update: [{ id: first, name: 'c' }],
    })
    await ask('POST /items/batch', { delete: [second] })

    expect(changed).toEqual({ update: [{ id: first, name: 'c' }] })
    expect((await ask(`GET /items/${first}`)).body.name).toBe('c')
    expect((await ask(`GET /items/${second}`)).status).toBe(404)
  })

  test('does nothing with several lists, and says that its response is generated', async () => {
    const { ask } = await open()
    const { body } = await ask('POST /items', { name: 'a' })

    const { headers } = await ask('POST /items/batch', {
      create: [{ name: 'b' }],
      delete: [body.id],
    })

    expect(headers.get('X-Sandbox-Source')).toBe('generated')
    expect((await ask(`GET /items/${body.id}`)).body).toEqual(body)
  })
})
