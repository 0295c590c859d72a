import { describe, expect, it } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { type ExchangeFacts, KnownFacts } from './exchange-facts.ts'

const BODY = new TextEncoder().encode('{}')

/** Made anew each time, and equal. */
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
    notes: [{ kind: 'unknown-parameter', place: 'query.a' }],
    headers: ['Accept', '*/*'],
    sent: undefined,
    replied: { 'Content-Type': 'application/json' },
    given: '[]',
    ...more,
  }
}

describe('known facts', () => {
  it('are the same ones when they come again', () => {
    const known = new KnownFacts()
    const first = known.same(facts({ refusal: { code: 'a', message: 'b' } }))

    const second = known.same(facts({ refusal: { code: 'a', message: 'b' } }))

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
    { headers: ['Accept', '*'] },
    { headers: ['Accept', '*/*', 'X-Test', ''] },
    { sent: BODY },
    { sent: 20_000 },
    { replied: {} },
    { replied: { 'Content-Type': 'text/plain' } },
    { replied: { 'Content-Type': 'application/json', Link: '' } },
    { given: '[{}]' },
    { given: 2 },
  ])('are others where %j differs', (more) => {
    const known = new KnownFacts()
    const first = known.same(facts())

    const second = known.same(facts(more))

    expect(second).not.toBe(first)
    expect(second).toEqual(facts(more))
  })

  it('are others where the message of the refusal differs', () => {
    const known = new KnownFacts()
    const first = known.same(facts({ refusal: { code: 'a', message: 'b' } }))

    const second = known.same(facts({ refusal: { code: 'a', message: 'c' } }))

    expect(second).not.toBe(first)
  })

  it('have the headers of the others that were known, where they are the same', () => {
    const known = new KnownFacts()
    const first = known.same(facts())

    const second = known.same(facts({ given: '[{}]' }))
    const third = known.same(facts({ headers: ['Accept', '*'] }))

    expect(second.headers).toBe(first.headers)
    expect(third.headers).toEqual(['Accept', '*'])
  })

  it('do not keep what was asked for long ago', () => {
    const known = new KnownFacts()
    const first = known.same(facts())
    for (let at = 0; at < 1000; at += 1) known.same(facts({ target: `/pets/${at}` }))

    expect(known.same(facts())).not.toBe(first)
  })
})

describe('the journal', () => {
  it('has each answer as it was, whether it was the same again or not', async () => {
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
    expect(exchanges.map(({ quota }) => quota.after.minute)).toEqual([59, 58, 57, 56])
  })

  it('shares nothing that whoever reads an exchange could change', async () => {
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
