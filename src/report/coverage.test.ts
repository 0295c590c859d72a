import { beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { loadContract } from '../load.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createFrozenSandbox, post, reportOn, sendRequest } from '../testing/report-inputs.ts'
import { type Coverage, measureCoverage } from './coverage.ts'

/** The items of an operation as `name: count`. */
function itemCounts({ operations }: Coverage, id: string): Record<string, number> {
  const { statuses, values, errors } = operations.find(({ operation }) => operation === id) ?? {
    statuses: [],
    values: [],
    errors: [],
  }
  return Object.fromEntries([...statuses, ...values, ...errors].map((one) => [one.name, one.count]))
}

describe('coverage', () => {
  let covered: Coverage

  beforeAll(async () => {
    const sandbox = createFrozenSandbox({ plans: { free: { minute: 5, day: 100 } } })
    await sendRequest(sandbox, '/pets?limit=0')
    await sendRequest(sandbox, '/pets?status=sold', { key: null })
    await sendRequest(sandbox, '/pets?status=sold', { key: 'wrong_key' })
    await sendRequest(sandbox, '/pets', post({ name: 'Rex', categoryId: 1, status: 'pending' }))
    await sendRequest(sandbox, '/pets', post({ categoryId: 'x' }))
    for (let request = 1; request <= 6; request += 1)
      await sendRequest(sandbox, '/pets?status=sold')
    sandbox.clock.set('2031-01-01T00:00:00Z')
    await sendRequest(sandbox, '/pets/1')
    covered = reportOn(sandbox).coverage
  })

  it('counts the requests for each status, value and error case of an operation', () => {
    expect(itemCounts(covered, 'listPets')).toEqual({
      200: 2,
      400: 1,
      401: 2,
      429: 4,
      'query.status=available': 0,
      'query.status=pending': 0,
      'query.status=sold': 8,
      '401 without a key': 1,
      '401 with a wrong key': 1,
      "429 by the minute's quota": 4,
      "429 by the day's quota": 0,
      '429 by a ban': 0,
      '400 for query.limit': 1,
      '400 for query.status': 0,
      '400 for query.cursor': 0,
    })
  })

  it('counts values and errors in request bodies', () => {
    expect(itemCounts(covered, 'createPet')).toMatchObject({
      201: 1,
      400: 1,
      'body.status=available': 0,
      'body.status=pending': 1,
      '400 for body.name is required': 1,
      '400 for body.categoryId is required': 0,
      '400 for body.categoryId': 1,
    })
  })

  it('has an error case for a removed operation', () => {
    expect(itemCounts(covered, 'getPet')).toMatchObject({ 404: 1, '404 after its removal': 1 })
  })

  it('is the percentage of covered items', () => {
    const counts = covered.operations.flatMap(({ operation, count }) => [
      count,
      ...Object.values(itemCounts(covered, operation)),
    ])

    expect(covered.total).toBe(counts.length)
    expect(covered.met).toBe(counts.filter((count) => count > 0).length)
    expect(covered.percent).toBe(Math.floor((covered.met / covered.total) * 100))
  })

  it('is 0 without requests, and 100 for a contract without operations', () => {
    expect(measureCoverage([], contract)).toMatchObject({ percent: 0, met: 0 })
    expect(measureCoverage([], { ...contract, operations: [] }).percent).toBe(100)
  })

  it('is that of some operations, or of those that the client used', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')
    const measured = (of: 'used' | readonly string[]): readonly string[] => {
      const { coverage } = reportOn(sandbox, { coverageOf: of })
      return coverage.operations.map(({ operation }) => operation)
    }

    expect(measured('used')).toEqual(['listPets'])
    expect(measured(['getPet', 'createPet'])).toEqual(['createPet', 'getPet'])
    expect(() => measured(['getPets'])).toThrow('Did you mean "getPet"?')
  })

  it('counts the ranges of statuses, and invalid input by the status that the document has for it', async () => {
    const parcels = await loadContract('src/testing/parcels.yaml')
    const operation = 'GET /depots/{depot_id}/parcels/{number}'
    const sandbox = createSandbox({ contract: parcels })
    const url = 'http://localhost/api/v2/depots/dp_north1/parcels/1?api_key=k'
    await sandbox.fetch(new Request(url))
    await sandbox.fetch(new Request(url, { headers: { 'X-Locale': 'de' } }))

    const { coverage } = await sandbox.report()
    expect(itemCounts(coverage, operation)).toEqual({
      200: 1,
      default: 1,
      '401 without a key': 0,
      '400 for header.X-Locale': 1,
    })
  })

  it('can be measured for any document', async () => {
    const library = await loadContract('src/testing/library.yaml')

    const { operations } = measureCoverage([], library)

    expect(operations.map(({ operation }) => operation)).toContain('listBooks')
    expect(operations.every(({ statuses }) => statuses.length > 0)).toBe(true)
  })
})
