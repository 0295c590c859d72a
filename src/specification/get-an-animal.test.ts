import { expect, it } from 'vitest'
import { errorOf, linkOf, petOf, petsOf } from '../testing/responses.ts'
import { describeEachTransport, toRequest } from '../testing/transports.ts'

describeEachTransport('Get an animal', (open) => {
  it('returns the animal', async () => {
    const { request, sandbox } = await open()

    const response = await request('GET', '/pets/7')

    expect(response.status).toBe(200)
    expect(await petOf(response)).toEqual(await sandbox.collection('pets').get(7))
  })

  it('returns the same animal as the list', async () => {
    const { request } = await open()
    const [first] = await petsOf(await request('GET', '/pets?limit=1'))

    const response = await request('GET', `/pets/${first?.id}`)

    expect(await petOf(response)).toEqual(first)
  })

  it.each(['999', '0', '-1', '2147483648', '9007199254740991', '-9007199254740991'])(
    'returns 404 for the unknown id %s',
    async (id) => {
      const { request } = await open()

      const response = await request('GET', `/pets/${id}`)

      expect(response.status).toBe(404)
      expect(await errorOf(response)).toStrictEqual({
        code: 'not_found',
        message: `No resource was found at /pets/${id}.`,
        status: 404,
      })
    },
  )

  it.each([
    'abc',
    '1.5',
    '1.0',
    '01',
    '+1',
    '0x1',
    '1e0',
    '%201',
    '1%20',
    'null',
    'NaN',
    '1,2',
    '%F0%9F%90%A2',
    '1%2F2',
    '1;v=1',
  ])('returns 404 for %s, which is not an integer', async (id) => {
    const { request } = await open()

    const response = await request('GET', `/pets/${id}`)

    const { code, message } = await errorOf(response)
    expect(response.status).toBe(404)
    expect(code).toBe('not_found')
    expect(message).toBe(`No resource was found at /pets/${id}: petId must be integer.`)
  })

  it('accepts any percent-encoding of the id', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets/%31')

    expect((await petOf(response)).id).toBe(1)
  })

  it('returns 404 for a removed animal', async () => {
    const { request, sandbox } = await open()
    await sandbox.collection('pets').remove(1)

    const response = await request('GET', '/pets/1')

    expect(response.status).toBe(404)
  })

  it('ignores query parameters and notes them in the journal', async () => {
    const { request, sandbox } = await open()

    const response = await request('GET', '/pets/1?limit=0')

    expect(response.status).toBe(200)
    expect(sandbox.journal.exchanges[0]?.notes).toContainEqual({
      kind: 'unknown-parameter',
      place: 'query.limit',
    })
  })

  it('returns the headers of GET without a body for HEAD', async () => {
    const { request } = await open()
    const got = await request('GET', '/pets/1')

    const response = await request('HEAD', '/pets/1')

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(response.headers.get('Content-Length')).toBe(got.headers.get('Content-Length'))
    expect(response.headers.get('Sunset')).toBe(got.headers.get('Sunset'))
  })

  it('sends the dates of deprecation and removal', async () => {
    const { request } = await open()

    const { headers } = await request('GET', '/pets/1')

    expect(headers.get('Deprecation')).toBe('@1764892800')
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
  })

  it('links to the list that replaces it by an absolute URL', async () => {
    const { base, fetch, request } = await open()

    const response = await request('GET', '/pets/1')

    const successor = linkOf(response, 'successor-version') ?? ''
    expect(successor).toBe(`${base}/pets?status=available`)
    expect((await fetch(toRequest('GET', successor))).status).toBe(200)
  })

  it.each([
    ['an unknown animal', '/pets/999', {}, 404],
    ['a missing key', '/pets/1', { key: null }, 401],
    ['a spent quota', '/pets/1', { key: 'sk_sandbox_rate_limited' }, 429],
  ])(
    'sends the dates of deprecation and removal with the refusal of %s',
    async (_, path, options, status) => {
      const { request } = await open()

      const response = await request('GET', path, options)

      expect(response.status).toBe(status)
      expect(response.headers.get('Deprecation')).toBe('@1764892800')
      expect(response.headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
      expect(linkOf(response, 'successor-version')).toBeDefined()
    },
  )

  it.each([
    ['GET', '/pets'],
    ['POST', '/pets'],
  ])('is the only deprecated operation: %s %s sends no deprecation', async (method, path) => {
    const { request } = await open()

    const { headers } = await request(method, path, {
      ...(method === 'POST' && { body: { name: 'Fern', categoryId: 1 } }),
    })

    expect(headers.get('Deprecation')).toBeNull()
    expect(headers.get('Sunset')).toBeNull()
  })
})
