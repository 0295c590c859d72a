import { expect, it } from 'vitest'
import { errorOf, petOf, petsOf } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

describeEachTransport('Resources and their fields', (open) => {
  it('gives an animal an id, a name, a category and a status, and nothing else', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets/1')

    expect(await petOf(response)).toStrictEqual({
      id: 1,
      name: expect.any(String),
      categoryId: expect.any(Number),
      status: expect.stringMatching(/^(available|pending|sold)$/),
    })
  })

  it('lists animals as a plain array', async () => {
    const { request } = await open({ records: 3 })

    const response = await request('GET', '/pets')

    expect(await petsOf(response)).toHaveLength(3)
  })

  it('gives every animal an id of its own', async () => {
    const { request } = await open({ records: 100 })

    const response = await request('GET', '/pets?limit=100')

    const ids = (await petsOf(response)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(100)
    expect(ids.every(Number.isSafeInteger)).toBe(true)
  })

  it('assigns an id that no animal had before', async () => {
    const { request, sandbox } = await open({ records: 3 })
    await sandbox.collection('pets').remove(3)

    const response = await request('POST', '/pets', { body: { name: 'Fern', categoryId: 1 } })

    expect((await petOf(response)).id).toBe(4)
  })

  it.each(['name', 'categoryId'])('requires %s of a new animal', async (missing) => {
    const { request } = await open()
    const body = Object.fromEntries(
      Object.entries({ name: 'Fern', categoryId: 1 }).filter(([name]) => name !== missing),
    )

    const response = await request('POST', '/pets', { body })

    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain(`body.${missing} is required`)
  })

  it.each<[string, unknown, string]>([
    ['a number as name', { name: 7 }, 'body.name must be string'],
    ['null as name', { name: null }, 'body.name must be string'],
    ['a list as name', { name: ['Fern'] }, 'body.name must be string'],
    ['text as categoryId', { categoryId: '2' }, 'body.categoryId must be integer'],
    ['a fraction as categoryId', { categoryId: 2.5 }, 'body.categoryId must be integer'],
    ['null as categoryId', { categoryId: null }, 'body.categoryId must be integer'],
    ['true as categoryId', { categoryId: true }, 'body.categoryId must be integer'],
    ['an object as categoryId', { categoryId: { id: 2 } }, 'body.categoryId must be integer'],
    [
      'an unknown status',
      { status: 'lost' },
      'body.status must be one of available, pending, sold',
    ],
    ['another case of a status', { status: 'Sold' }, 'body.status must be one of'],
    ['an empty status', { status: '' }, 'body.status must be one of'],
    ['null as status', { status: null }, 'body.status'],
    ['a list of statuses', { status: ['sold'] }, 'body.status'],
  ])('refuses %s', async (_, change, place) => {
    const { request } = await open()
    const body = { name: 'Fern', categoryId: 1, ...Object(change) }

    const response = await request('POST', '/pets', { body })

    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain(place)
  })

  it.each([0, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)])(
    'keeps the category %d exactly',
    async (categoryId) => {
      const { request } = await open()

      const created = await request('POST', '/pets', { body: { name: 'Fern', categoryId } })

      const { id } = await petOf(created)
      const read = await request('GET', `/pets/${id}`)
      expect((await petOf(read)).categoryId).toBe(categoryId)
    },
  )

  it.each([
    ['a whole number with a fraction of zero', '2.0'],
    ['a whole number with an exponent', '2e0'],
  ])('takes %s as an integer (RFC 8259, JSON Schema)', async (_, number) => {
    const { request } = await open()

    const response = await request('POST', '/pets', {
      raw: `{"name": "Fern", "categoryId": ${number}}`,
    })

    expect((await petOf(response)).categoryId).toBe(2)
  })

  it.each([
    ['other scripts', 'Żółw 亀 🐢'],
    ['escapes', '"Fern" \\ \n\t'],
    ['markup', '<b>Fern</b>'],
    ['spaces at its ends', '  Fern '],
    ['nothing in it', ''],
  ])('keeps a name with %s as it was sent', async (_, name) => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', { body: { name, categoryId: 1 } })

    const { id, ...pet } = await petOf(response)
    expect(pet.name).toBe(name)
    expect(await sandbox.collection('pets').get(id)).toMatchObject({ name })
  })

  it('has an Error hold a code, a message and the HTTP status, and nothing else', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets/999')

    expect(await errorOf(response)).toStrictEqual({
      code: 'not_found',
      message: 'There is no /pets/999.',
      status: 404,
    })
  })
})
