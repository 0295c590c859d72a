import { expect, it } from 'vitest'
import { errorOf, idsOf, linkOf, petOf, petsOf } from '../testing/responses.ts'
import { describeEachTransport, type OpenedSandbox, toRequest } from '../testing/transports.ts'

/** Follows the links from `path` to the last page and returns the ids of each page. */
async function idsByPage({ base, fetch }: OpenedSandbox, path: string): Promise<number[][]> {
  const pages: number[][] = []
  let next: string | undefined = base + path
  while (next !== undefined) {
    const response: Response = await fetch(toRequest('GET', next))
    pages.push(await idsOf(response))
    next = linkOf(response, 'next')
  }
  return pages
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

describeEachTransport('List animals', (open) => {
  it('lists 20 animals without a limit', async () => {
    const { request } = await open({ records: 50 })

    const response = await request('GET', '/pets')

    expect(response.status).toBe(200)
    expect(await idsOf(response)).toEqual(range(1, 20))
  })

  it.each([1, 2, 20, 99, 100])(
    'lists %d animals with a limit of the same number',
    async (limit) => {
      const { request } = await open({ records: 120 })

      const response = await request('GET', `/pets?limit=${limit}`)

      expect(await idsOf(response)).toEqual(range(1, limit))
    },
  )

  it('lists all animals when there are fewer than the limit', async () => {
    const { request } = await open({ records: 3 })

    const response = await request('GET', '/pets?limit=100')

    expect(await idsOf(response)).toEqual([1, 2, 3])
  })

  it('returns an empty list when there are no animals', async () => {
    const { request } = await open({ records: 0 })

    const response = await request('GET', '/pets')

    expect(response.status).toBe(200)
    expect(await petsOf(response)).toEqual([])
  })

  it.each([
    ['limit=0', 'query.limit must be >= 1'],
    ['limit=-1', 'query.limit must be >= 1'],
    ['limit=101', 'query.limit must be <= 100'],
    ['limit=20.5', 'query.limit must be integer'],
    ['limit=twenty', 'query.limit must be integer'],
    ['limit=0x10', 'query.limit must be integer'],
    ['limit=1e1', 'query.limit must be integer'],
    ['limit=%2020', 'query.limit must be integer'],
    ['limit=null', 'query.limit must be integer'],
    ['limit=Infinity', 'query.limit must be integer'],
    ['limit=', 'query.limit must not be empty'],
    ['limit', 'query.limit must not be empty'],
    ['limit=5&limit=6', 'query.limit must be given once'],
    ['limit=5&limit=5', 'query.limit must be given once'],
    ['status=lost', 'query.status must be one of available, pending, sold'],
    ['status=SOLD', 'query.status must be one of available, pending, sold'],
    ['status=sold,pending', 'query.status must be one of available, pending, sold'],
    ['status=', 'query.status must not be empty'],
    ['status=sold&status=pending', 'query.status must be given once'],
    ['cursor=', 'query.cursor must not be empty'],
    ['cursor=a&cursor=b', 'query.cursor must be given once'],
  ])('returns 400 for ?%s', async (query, message) => {
    const { request } = await open()

    const response = await request('GET', `/pets?${query}`)

    expect(response.status).toBe(400)
    expect(await errorOf(response)).toStrictEqual({ code: 'invalid_request', message, status: 400 })
  })

  it('reports all errors of a query in one message', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets?limit=0&status=lost')

    const { message } = await errorOf(response)
    expect(message).toContain('query.limit must be >= 1')
    expect(message).toContain('query.status must be one of')
  })

  it.each(['available', 'pending', 'sold'])('filters by the status %s', async (status) => {
    const { request, sandbox } = await open()
    const expected = await sandbox.collection('pets').list({ where: { status } })

    const response = await request('GET', `/pets?limit=100&status=${status}`)

    const pets = await petsOf(response)
    expect(pets.length).toBeGreaterThan(0)
    expect(pets).toEqual(expected)
    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]))
  })

  it('applies the limit after the filter', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets?limit=3&status=sold')

    const statuses = (await petsOf(response)).map(({ status }) => status)
    expect(statuses).toEqual(['sold', 'sold', 'sold'])
  })

  it('accepts any percent-encoding of a parameter', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets?%6Cimit=%35')

    expect(await petsOf(response)).toHaveLength(5)
  })

  it('ignores unknown parameters and notes them in the journal', async () => {
    const { request, sandbox } = await open()

    const response = await request('GET', '/pets?page=2&limit=2')

    expect(await idsOf(response)).toEqual([1, 2])
    expect(sandbox.journal.exchanges[0]?.notes).toEqual([
      { kind: 'unknown-parameter', place: 'query.page' },
    ])
  })

  it('links to the next page by an absolute URL', async () => {
    const { base, request } = await open()

    const response = await request('GET', '/pets?limit=2')

    const next = new URL(linkOf(response, 'next') ?? '')
    expect(next.origin + next.pathname).toBe(`${base}/pets`)
    expect(next.searchParams.get('cursor')).not.toBeNull()
  })

  it('repeats the parameters of the request in the link to the next page', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets?limit=2&status=available&trace=a%20b%26c')

    const next = new URL(linkOf(response, 'next') ?? '')
    next.searchParams.delete('cursor')
    expect(Object.fromEntries(next.searchParams)).toEqual({
      limit: '2',
      status: 'available',
      trace: 'a b&c',
    })
  })

  it('adds only the cursor to the link to the next page', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets')

    const next = new URL(linkOf(response, 'next') ?? '')
    expect([...next.searchParams.keys()]).toEqual(['cursor'])
  })

  it('lists each animal once, by ascending id, over all pages', async () => {
    const opened = await open({ records: 50 })

    const pages = await idsByPage(opened, '/pets?limit=20')

    expect(pages.map(({ length }) => length)).toEqual([20, 20, 10])
    expect(pages.flat()).toEqual(range(1, 50))
  })

  it('lists each animal with a status once over all pages', async () => {
    const opened = await open({ records: 50 })
    const sold = await opened.sandbox.collection('pets').list({ where: { status: 'sold' } })

    const pages = await idsByPage(opened, '/pets?limit=3&status=sold')

    expect(pages.flat()).toEqual(sold.map(({ id }) => id))
  })

  it.each([
    ['the last page is full', 40, 20],
    ['the only page is full', 20, 20],
    ['there is no animal', 0, 20],
  ])('sends no link to a next page when %s', async (_, records, limit) => {
    const opened = await open({ records })

    const pages = await idsByPage(opened, `/pets?limit=${limit}`)

    expect(pages).toHaveLength(Math.max(1, records / limit))
  })

  it('skips and repeats no animal when others are added between two pages', async () => {
    const { base, fetch, request } = await open({ records: 5 })
    const first = await request('GET', '/pets?limit=2')
    await request('POST', '/pets', { body: { name: 'Fern', categoryId: 1 } })

    const second = await fetch(toRequest('GET', linkOf(first, 'next') ?? base))
    await request('POST', '/pets', { body: { name: 'Ivy', categoryId: 1 } })
    const third = await fetch(toRequest('GET', linkOf(second, 'next') ?? base))

    const ids = await Promise.all([first, second, third].map(idsOf))
    expect(ids).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ])
    expect(linkOf(third, 'next')).toBeDefined()
  })

  it.each([
    ['the last animal of the previous page', 2],
    ['another animal of the previous page', 1],
  ])('skips no animal when %s is removed between two pages', async (_, removed) => {
    const { base, fetch, request, sandbox } = await open({ records: 5 })
    const first = await request('GET', '/pets?limit=2')
    await sandbox.collection('pets').remove(removed)

    const second = await fetch(toRequest('GET', linkOf(first, 'next') ?? base))

    expect(await idsOf(second)).toEqual([3, 4])
  })

  it('accepts another limit for the next page', async () => {
    const { request } = await open({ records: 9 })
    const first = await request('GET', '/pets?limit=2')
    const cursor = new URL(linkOf(first, 'next') ?? '').searchParams.get('cursor')

    const second = await request('GET', `/pets?limit=5&cursor=${cursor}`)

    expect(await idsOf(second)).toEqual([3, 4, 5, 6, 7])
  })

  it.each([
    ['a plain id', '20'],
    ['an offset', 'MjA='],
    ['JSON', 'eyJpZCI6MX0'],
    ['not Base64', '***'],
    ['not ASCII', '%E4%BA%80'],
    ['a null byte', '%00'],
    ['10,000 characters long', 'a'.repeat(10_000)],
  ])('returns 400 for a forged cursor: %s', async (_, cursor) => {
    const { request } = await open()

    const response = await request('GET', `/pets?cursor=${cursor}`)

    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toMatch(/^query\.cursor .* Link header/)
  })

  it('returns 400 for a cursor with any single character changed', async () => {
    const { request } = await open()
    const first = await request('GET', '/pets?limit=2')
    const cursor = new URL(linkOf(first, 'next') ?? '').searchParams.get('cursor') ?? ''
    const changed = Array.from(cursor, (character, index) => {
      return cursor.slice(0, index) + (character === 'A' ? 'B' : 'A') + cursor.slice(index + 1)
    })

    const responses = await Promise.all(
      changed.map((forged) => request('GET', `/pets?cursor=${forged}`)),
    )

    expect(changed.length).toBeGreaterThan(0)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]))
  })

  it('lists an added animal', async () => {
    const { request } = await open({ records: 2 })
    const body = { name: 'Fern', categoryId: 1, status: 'sold' }
    const added = await petOf(await request('POST', '/pets', { body }))

    const response = await request('GET', '/pets?status=sold&limit=100')

    expect(await petsOf(response)).toContainEqual(added)
  })

  it('lists the same animals for the same seed and different animals for another seed', async () => {
    const [one, same, other] = await Promise.all([7, 7, 8].map((seed) => open({ seed })))

    const lists = await Promise.all(
      [one, same, other].map(async (opened) => (await opened?.request('GET', '/pets'))?.text()),
    )

    expect(lists[0]).toBe(lists[1])
    expect(lists[0]).not.toBe(lists[2])
  })

  it('returns the headers of GET without a body for HEAD', async () => {
    const { request } = await open()
    const got = await request('GET', '/pets?limit=2')

    const response = await request('HEAD', '/pets?limit=2')

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(response.headers.get('Content-Length')).toBe(got.headers.get('Content-Length'))
    expect(response.headers.get('Link')).toBe(got.headers.get('Link'))
  })
})
