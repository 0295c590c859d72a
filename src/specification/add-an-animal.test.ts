import { expect, it } from 'vitest'
import { errorOf, petOf, petsOf } from '../testing/responses.ts'
import { describeEachTransport, toRequest } from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 3 }

describeEachTransport('Add an animal', (open) => {
  it('returns 201 with the animal and its assigned id', async () => {
    const { request } = await open({ records: 50 })

    const response = await request('POST', '/pets', { body: { ...FERN, status: 'pending' } })

    expect(response.status).toBe(201)
    expect(await petOf(response)).toStrictEqual({ id: 51, ...FERN, status: 'pending' })
  })

  it('stores the animal', async () => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', { body: FERN })

    const pet = await petOf(response)
    expect(await sandbox.collection('pets').get(pet.id)).toEqual(pet)
    expect(await sandbox.collection('pets').count()).toBe(51)
  })

  it('sends the absolute URL of the animal in Location', async () => {
    const { base, fetch, request } = await open()

    const response = await request('POST', '/pets', { body: FERN })

    const pet = await petOf(response)
    const location = response.headers.get('Location') ?? ''
    expect(location).toBe(`${base}/pets/${pet.id}`)
    expect(await petOf(await fetch(toRequest('GET', location)))).toEqual(pet)
  })

  it('assigns unique ids to animals that are added concurrently', async () => {
    const { request, sandbox } = await open({ records: 0 })

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => request('POST', '/pets', { body: FERN })),
    )

    const ids = (await Promise.all(responses.map(petOf))).map(({ id }) => id)
    expect(new Set(ids).size).toBe(20)
    expect(await sandbox.collection('pets').count()).toBe(20)
  })

  it('ignores an id in the body', async () => {
    const { request, sandbox } = await open({ records: 2 })
    const before = await sandbox.collection('pets').get(1)

    const response = await request('POST', '/pets', { body: { id: 1, ...FERN } })

    expect((await petOf(response)).id).toBe(3)
    expect(await sandbox.collection('pets').get(1)).toEqual(before)
  })

  it('drops unknown properties and notes them in the journal', async () => {
    const { request, sandbox } = await open()

    const response = await request('POST', '/pets', {
      body: { id: 7, ...FERN, color: 'green', toString: 'x' },
    })

    const pet = await petOf(response)
    expect(Object.keys(pet).sort()).toEqual(['categoryId', 'id', 'name', 'status'])
    expect(await sandbox.collection('pets').get(pet.id)).toStrictEqual(pet)
    expect(sandbox.journal.exchanges[0]?.notes).toEqual([
      { kind: 'dropped-property', place: 'body.id' },
      { kind: 'dropped-property', place: 'body.color' },
      { kind: 'dropped-property', place: 'body.toString' },
    ])
  })

  it('reports all errors of a body in one message', async () => {
    const { request } = await open()

    const response = await request('POST', '/pets', { body: { categoryId: '3', status: 'lost' } })

    const { message } = await errorOf(response)
    expect(message).toContain('body.name is required')
    expect(message).toContain('body.categoryId must be integer')
    expect(message).toContain('body.status must be one of available, pending, sold')
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON',
    'application/json ; charset=utf-8',
  ])('accepts the content type %s', async (type) => {
    const { request } = await open()

    const response = await request('POST', '/pets', { body: FERN, type })

    expect(response.status).toBe(201)
  })

  it('adds no animal when the request is refused', async () => {
    const { request, sandbox } = await open()
    const before = await sandbox.collection('pets').list()

    const response = await request('POST', '/pets', { body: { name: 'Fern' } })

    expect(response.status).toBe(400)
    expect(await sandbox.collection('pets').list()).toEqual(before)
  })

  it('makes the animal visible to callers with other keys', async () => {
    const { request } = await open({ records: 0 })
    await request('POST', '/pets', { body: FERN, key: 'sk_sandbox_free' })

    const response = await request('GET', '/pets', { key: 'sk_sandbox_pro' })

    expect(await petsOf(response)).toMatchObject([FERN])
  })

  it('removes the animal when the sandbox is reset', async () => {
    const { request, sandbox } = await open({ records: 2 })
    const firstPets = await sandbox.collection('pets').list()
    await request('POST', '/pets', { body: FERN })

    sandbox.reset()

    expect(await sandbox.collection('pets').list()).toEqual(firstPets)
  })
})
