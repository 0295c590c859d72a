import { expect, it } from 'vitest'
import { errorOf, petOf, petsOf, quotaOf, repeat, toNetworkError } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 1 }

describeEachTransport('Forced answers', (open) => {
  it('have any documented status, and refuse as the real case', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ operation: 'listPets', status: 429, retryAfter: 3, times: 1 })

    const response = await request('GET', '/pets')

    expect(response.status).toBe(429)
    expect(response.headers.get('Retry-After')).toBe('3')
    expect((await errorOf(response)).code).toBe('rate_limit_exceeded')
    expect(quotaOf(response).remaining).toBe(59)
    expect((await request('GET', '/pets')).status).toBe(200)
  })

  it('say what is wrong with fields in the validation error', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ operation: 'createPet', fields: { name: 'is taken' } })

    const response = await request('POST', '/pets', { body: FERN })

    expect(response.status).toBe(400)
    expect(await errorOf(response)).toEqual({
      code: 'invalid_request',
      message: 'body.name is taken',
      status: 400,
    })
  })

  it('have a part of the body and headers', async () => {
    const { request, sandbox } = await open()
    sandbox.force({
      operation: 'createPet',
      status: 400,
      body: { message: 'Not on Sundays.' },
      headers: { 'X-Day': 'Sunday' },
    })

    const response = await request('POST', '/pets', { body: FERN })

    expect(response.headers.get('X-Day')).toBe('Sunday')
    expect(await errorOf(response)).toEqual({
      code: 'invalid_request',
      message: 'Not on Sundays.',
      status: 400,
    })
  })

  it('are successes that change the records', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ operation: 'createPet', body: { name: 'Ivy' }, times: 1 })

    const shown = await petOf(await request('POST', '/pets', { body: FERN }))
    const stored = await petOf(await request('GET', `/pets/${shown.id}`))

    expect(shown).toMatchObject({ name: 'Ivy', categoryId: 1 })
    expect(stored).toMatchObject(FERN)
  })

  it('are lost on the way by the fault reset, although the operation is performed', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ operation: 'createPet', fault: 'reset', times: 1 })

    const lost = await request('POST', '/pets', { body: FERN }).catch(toNetworkError)
    const pets = await petsOf(await request('GET', '/pets?limit=100'))

    expect(lost.type).toBe('error')
    expect(pets.at(-1)).toMatchObject(FERN)
    expect(sandbox.journal.exchanges).toMatchObject([{ status: 0, forced: 'reset' }, {}])
  })

  it('are never sent by the fault empty', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ status: 503, fault: 'empty', times: 1 })

    const closed = await request('GET', '/pets').catch(toNetworkError)

    expect(closed.type).toBe('error')
    expect(sandbox.journal.exchanges).toMatchObject([{ status: 0, forced: 'unavailable' }])
  })

  it('break off by the fault truncated', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ fault: 'truncated', times: 1 })

    // By a Service Worker, the request itself may fail.
    const body = request('GET', '/pets').then((response) => response.text())

    await expect(body).rejects.toThrow()
  })

  it('arrive in pieces by the fault slow-bytes', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ fault: 'slow-bytes', times: 1 })

    const started = performance.now()
    const response = await request('GET', '/pets?limit=3')
    const pets = await petsOf(response)

    expect(pets).toHaveLength(3)
    expect(performance.now() - started).toBeGreaterThan(900)
  })

  it('follow each other in a series', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ operation: 'listPets', series: [503, { status: 500 }, 'next'] })

    const responses = await repeat(4, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual([503, 500, 200, 200])
  })

  it('follow each other by what is called', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ operation: 'createPet', flow: 'outage', from: 'start', to: 'down' })
    sandbox.force({ operation: 'listPets', flow: 'outage', from: 'down', to: 'start', status: 503 })

    const before = await request('GET', '/pets')
    await request('POST', '/pets', { body: FERN })
    const after = await repeat(2, () => request('GET', '/pets'))

    expect([before, ...after].map(({ status }) => status)).toEqual([200, 503, 200])
  })

  it('are for requests with a query or a part of a body', async () => {
    const { request, sandbox } = await open()
    sandbox.force({ where: { query: { limit: 2 } }, status: 500 })
    sandbox.force({ where: { body: { name: 'Fern' } }, fields: { name: 'is taken' } })

    const responses = [
      await request('GET', '/pets?limit=3'),
      await request('GET', '/pets?limit=2'),
      await request('POST', '/pets', { body: { ...FERN, name: 'Ivy' } }),
      await request('POST', '/pets', { body: FERN }),
    ]

    expect(responses.map(({ status }) => status)).toEqual([200, 500, 201, 400])
  })
})
