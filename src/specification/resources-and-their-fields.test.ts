import { expect, it } from 'vitest'
import { errorOf, petOf, petsOf } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

describeEachTransport('Resources and their fields', (open) => {
  it('returns animals with id, name, category and status only', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets/1')

    expect(await petOf(response)).toStrictEqual({
      id: 1,
      name: expect.any(String),
      categoryId: expect.any(Number),
      status: expect.stringMatching(/^(available|pending|sold)$/),
    })
  })

  it('lists animals as a JSON array', async () => {
    const { request } = await open({ records: 3 })

    const response = await request('GET', '/pets')

    expect(await petsOf(response)).toHaveLength(3)
  })

  it('has a unique id for every animal', async () => {
    const { request } = await open({ records: 100 })

    const response = await request('GET', '/pets?limit=100')

    const ids = (await petsOf(response)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(100)
    expect(ids.every(Number.isSafeInteger)).toBe(true)
  })

  it('does not assign the id of a removed animal again', async () => {
    const { request, sandbox } = await open({ records: 3 })
    await sandbox.collection('pets').remove(3)

    const response = await request('POST', '/pets', { body: { name: 'Fern', categoryId: 1 } })

    expect((await petOf(response)).id).toBe(4)
  })

  it.each(['name', 'categoryId'])('requires %s in a new animal', async (missing) => {
    const { request } = await open()
    const body = Object.fromEntries(
      Object.entries({ name: 'Fern', categoryId: 1 }).filter(([name]) => name !== missing),
    )

    const response = await request('POST', '/pets', { body })

    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain(`body.${missing} is required`)
  })

  it.each<[string, unknown, string]>([
    ['a number as the name', { name: 7 }, 'body.name must be string'],
    ['null as the name', { name: null }, 'body.name must be string'],
    ['an array as the name', { name: ['Fern'] }, 'body.name must be string'],
    ['a string as categoryId', { categoryId: '2' }, 'body.categoryId must be integer'],
    ['a fraction as categoryId', { categoryId: 2.5 }, 'body.categoryId must be integer'],
    ['null as categoryId', { categoryId: null }, 'body.categoryId must be integer'],
    ['true as categoryId', { categoryId: true }, 'body.categoryId must be integer'],
    ['an object as categoryId', { categoryId: { id: 2 } }, 'body.categoryId must be integer'],
    [
      'an unknown status',
      { status: 'lost' },
      'body.status must be one of available, pending, sold',
    ],
    ['a status in another case', { status: 'Sold' }, 'body.status must be one of'],
    ['an empty status', { status: '' }, 'body.status must be one of'],
    ['null as the status', { status: null }, 'body.status'],
    ['an array as the status', { status: ['sold'] }, 'body.status'],
  ])('returns 400 for %s', async (_, change, message) => {
    const { request } = await open()
    const body = { name: 'Fern', categoryId: 1, ...Object(change) }

    const response = await request('POST', '/pets', { body })

    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain(message)
  })

  it.each([0, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)])(
    'stores the category %d exactly',
    async (categoryId) => {
      const { request } = await open()

      const created = await request('POST', '/pets', { body: { name: 'Fern', categoryId } })

      const { id } = await petOf(created)
      const read = await request('GET', `/pets/${id}`)
      expect((await petOf(read)).categoryId).toBe(categoryId)
    },
  )

  it.each([
    ['2.0', '2.0'],
    ['2e0', '2e0'],
  ])('accepts %s as an integer (RFC 8259, JSON Schema)', async (_, number) => {
    const { request } = await open()

    const response = await request('POST', '/pets', {
      raw: `{"name": "Fern", "categoryId": ${number}}`,
    })

    expect((await petOf(response)).categoryId).toBe(2)
  })

  it.each([
    ['non-Latin characters', 'Żółw 亀 🐢'],
    ['escape sequences', '"Fern" \\ \n\t'],
    ['HTML', '<b>Fern</b>'],
    ['leading and trailing spaces', '  Fern '],
    ['no characters', ''],
  ])('stores a name with %s unchanged', async (_, name) => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', { body: { name, categoryId: 1 } })

    const { id, ...pet } = await petOf(response)
    expect(pet.name).toBe(name)
    expect(await sandbox.collection('pets').get(id)).toMatchObject({ name })
  })

  it('returns errors with code, message and HTTP status only', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets/999')

    expect(await errorOf(response)).toStrictEqual({
      code: 'not_found',
      message: 'No resource was found at /pets/999.',
      status: 404,
    })
  })
})
