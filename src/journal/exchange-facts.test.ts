import { describe, expect, it } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { type ExchangeFacts, FactsCache } from './exchange-facts.ts'

const BODY = new TextEncoder().encode('{}')

/** Equal facts, created again for each call. */
function facts(more: Partial<ExchangeFacts> = {}): ExchangeFacts {
  return {
    method: 'GET',
    base: 'http://localhost/v1',
    target: '/pets?limit=1',
    operation: 'listPets',
    caller: 'valid',
    key: 'sk_sandbox_free',
    plan: 'free',
    status: 200,
    preflight: undefined,
    refusal: undefined,
    forced: undefined,
    source: undefined,
    sourceReason: undefined,
    notes: [{ kind: 'unknown-parameter', place: 'query.a' }],
    requestHeaders: ['Accept', '*/*'],
    requestBody: undefined,
    responseHeaders: { 'Content-Type': 'application/json' },
    responseBody: '[]',
    ...more,
  }
}

describe('facts in the cache', () => {
  it('are shared by equal ones', () => {
    const cache = new FactsCache()
    const first = cache.share(facts({ refusal: { code: 'a', message: 'b' } }))

    const second = cache.share(facts({ refusal: { code: 'a', message: 'b' } }))

    expect(second).toBe(first)
  })

  it.each<Partial<ExchangeFacts>>([
    { method: 'HEAD' },
    { base: 'http://127.0.0.1/v1' },
    { target: '/pets' },
    { caller: 'invalid' },
    { key: 'sk_sandbox_gree' },
    { plan: 'pro' },
    { status: 201 },
    { refusal: { code: 'not_found', message: '' } },
    { forced: 'slow' },
    { notes: [] },
    { notes: [{ kind: 'unknown-parameter', place: 'query.b' }] },
    { requestHeaders: ['Accept', '*'] },
    { requestHeaders: ['Accept', '*/*', 'X-Test', ''] },
    { requestBody: BODY },
    { requestBody: 20_000 },
    { responseHeaders: {} },
    { responseHeaders: { 'Content-Type': 'text/plain' } },
    { responseHeaders: { 'Content-Type': 'application/json', Link: '' } },
    { responseBody: '[{}]' },
    { responseBody: 2 },
  ])('are not shared by others, with %j', (more) => {
    const cache = new FactsCache()
    const first = cache.share(facts())

    const second = cache.share(facts(more))

    expect(second).not.toBe(first)
    expect(second).toEqual(facts(more))
  })

  it('are not shared by others with another refusal message', () => {
    const cache = new FactsCache()
    const first = cache.share(facts({ refusal: { code: 'a', message: 'b' } }))

    const second = cache.share(facts({ refusal: { code: 'a', message: 'c' } }))

    expect(second).not.toBe(first)
  })

  it('share equal request headers with others', () => {
    const cache = new FactsCache()
    const first = cache.share(facts())

    const second = cache.share(facts({ responseBody: '[{}]' }))
    const third = cache.share(facts({ requestHeaders: ['Accept', '*'] }))

    expect(second.requestHeaders).toBe(first.requestHeaders)
    expect(third.requestHeaders).toEqual(['Accept', '*'])
  })

  it('are dropped after many other targets', () => {
    const cache = new FactsCache()
    const first = cache.share(facts())
    for (let at = 0; at < 1000; at += 1) cache.share(facts({ target: `/pets/${at}` }))

    expect(cache.share(facts())).not.toBe(first)
  })
})

describe('the journal', () => {
  it('has each response as it was sent, repeated or not', async () => {
    const sandbox = createSandbox({ records: 1 })
    const pet = sandbox.collection('pets')
    const headers = { Authorization: 'Bearer sk_sandbox_free' }
    const bodies: string[] = []
    const ask = async (): Promise<void> => {
      const response = await sandbox.fetch(new Request('http://localhost/v1/pets/1', { headers }))
      bodies.push(await response.text())
    }
    await ask()
    await ask()
    await pet.update(1, { name: 'Renamed' })
    await ask()
    await pet.remove(1)
    await ask()

    const { exchanges } = sandbox.journal

    expect(exchanges.map(({ response }) => response.body)).toEqual(bodies)
    expect(new Set(bodies).size).toBe(bodies.length - 1)
    expect(exchanges.map(({ id }) => id)).toEqual([1, 2, 3, 4])
    expect(exchanges.map(({ quota }) => quota?.after.minute)).toEqual([59, 58, 57, 56])
  })

  it('gives copies, which a reader can change without changing other exchanges', async () => {
    const sandbox = createSandbox()
    const headers = { Authorization: 'Bearer sk_sandbox_free' }
    for (const query of ['limit=0', 'limit=0', 'a=1', 'a=1']) {
      await sandbox.fetch(new Request(`http://localhost/v1/pets?${query}`, { headers }))
    }

    for (const { refusal, notes } of sandbox.journal.exchanges) {
      Object.assign(refusal ?? {}, { message: 'changed' })
      for (const note of notes) Object.assign(note, { place: 'changed' })
    }

    expect(sandbox.journal.exchanges).toMatchObject([
      { refusal: { message: 'query.limit must be >= 1' } },
      { refusal: { message: 'query.limit must be >= 1' } },
      { notes: [{ place: 'query.a' }] },
      { notes: [{ place: 'query.a' }] },
    ])
  })
})
