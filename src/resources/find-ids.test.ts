import { describe, expect, it } from 'vitest'
import type { Parameter, Schema } from '../contract/contract.ts'
import { matches } from '../generate/matches.ts'
import type { Id } from '../records/record-table.ts'
import { findIds, nextFreeId, type ResourceIds } from './find-ids.ts'
import type { IdGenerator } from './id-generator.ts'

function parameter(schema: Schema, example?: unknown): Parameter {
  return {
    name: 'thing',
    in: 'path',
    required: true,
    schema,
    ...(example !== undefined && { example }),
    validate: (value) => matches(schema, value),
  }
}

interface Given {
  readonly name?: string
  readonly property?: Schema
  readonly parameter?: Schema
  readonly further?: Schema
  readonly examples?: readonly unknown[]
}

function resourceIds(given: Given): Promise<ResourceIds> {
  const { name = 'id', property, parameter: own = {}, further, examples = [] } = given
  return findIds({
    name,
    ...(further && { further: [parameter(further)] }),
    ...(property && { property }),
    parameters: [parameter(own)],
    examples,
  })
}

function listIds(ids: IdGenerator, count: number): Id[] {
  let state = ids.start
  return Array.from({ length: count }, () => {
    const next = ids.next(state)
    state = next.state
    return next.id
  })
}

async function idsFor(given: Given, count = 3): Promise<Id[]> {
  return listIds((await resourceIds(given)).create(1, 'things'), count)
}

const string: Schema = { type: 'string' }

describe('ids of a document', () => {
  it.each<[kind: string, given: Given, ids: readonly Id[]]>([
    ['numbers count from 1', { property: { type: 'integer' } }, [1, 2, 3]],
    [
      'numbers count from their minimum',
      { property: { type: 'integer', minimum: 1000 } },
      [1000, 1001, 1002],
    ],
    [
      'numbers are multiples',
      { property: { type: 'integer', multipleOf: 10, exclusiveMinimum: 20 } },
      [30, 40, 50],
    ],
    ['texts have zeros in front', { property: string }, ['000001', '000002', '000003']],
    [
      'texts for a parameter that is a number have none',
      { property: string, parameter: { type: 'integer' } },
      ['1001', '1002', '1003'],
    ],
    [
      'texts for a parameter that is a small number count from 1',
      { property: string, parameter: { type: 'integer', maximum: 100 } },
      ['1', '2', '3'],
    ],
    [
      'an enum is used in its order, and again after its end',
      { parameter: { ...string, enum: ['free', 'pro'] }, property: string },
      ['free', 'pro', 'free'],
    ],
    [
      'dates are days in a row',
      { property: { ...string, format: 'date' } },
      ['2026-01-01', '2026-01-02', '2026-01-03'],
    ],
    [
      'numeric texts have as many digits as their example',
      { property: string, examples: ['12345'] },
      ['10001', '10002', '10003'],
    ],
    [
      'numeric texts count from 1 when their example has one digit',
      { property: string, examples: ['7'] },
      ['1', '2', '3'],
    ],
    [
      'counted examples keep their prefix and zeros',
      { property: string, examples: ['INV-0042'] },
      ['INV-0001', 'INV-0002', 'INV-0003'],
    ],
    [
      'a placeholder after a prefix stands for a random text',
      { property: string, examples: ['file-abc123'] },
      [expect.stringMatching(/^file-[a-z0-9]{6}$/), expect.any(String), expect.any(String)],
    ],
    [
      'the kind of most examples counts',
      { property: string, examples: ['123', 'us_7NffrFeU', 'us_9aBcd3fG'] },
      [expect.stringMatching(/^us_\w{8}$/), expect.any(String), expect.any(String)],
    ],
    [
      'an example that its schema refuses says nothing',
      { property: { type: 'integer' }, examples: ['cus_NffrFeUfNV2Hib'] },
      [1, 2, 3],
    ],
    [
      'an example that editors write says nothing',
      { property: { ...string, example: 'string' } },
      ['000001', '000002', '000003'],
    ],
    [
      'texts fit the numbers in the paths of other records',
      { property: string, parameter: string, further: { type: 'number' } },
      ['1001', '1002', '1003'],
    ],
    [
      'an enum in the paths of other records is used',
      { property: string, further: { ...string, enum: ['free', 'pro'] } },
      ['free', 'pro', 'free'],
    ],
    [
      'the paths of other records say nothing when no id fits all',
      { property: { type: 'integer' }, further: { ...string, enum: ['free', 'pro'] } },
      [1, 2, 3],
    ],
    ['ids without a property fit the path', { parameter: { type: 'integer' } }, [1, 2, 3]],
  ])('%s', async (_kind, given, ids) => {
    expect(await idsFor(given)).toEqual(ids)
  })

  it.each<[kind: string, given: Given, form: RegExp]>([
    [
      'random texts',
      { property: string, examples: ['cus_NffrFeUfNV2Hib'] },
      /^cus_[A-Za-z0-9]{14}$/,
    ],
    [
      'a short code after a prefix',
      { property: string, examples: ['RM-7Q2XK'] },
      /^RM-[A-Z0-9]{5}$/,
    ],
    [
      'hexadecimal texts',
      { property: { ...string, example: '507f1f77bcf86cd799439011' } },
      /^[0-9a-f]{24}$/,
    ],
    [
      'UUIDs',
      { property: string, examples: ['7C9E6679-7425-40DE-944B-E07FC1F90AE7'] },
      /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/,
    ],
    ['long numbers', { property: string, examples: ['1206143256471234567'] }, /^[1-9]\d{18}$/],
    ['names', { property: string, examples: ['hello-world'] }, /^[a-z]+-[a-z]+$/],
    ['user names', { name: 'username', property: string }, /^[a-z]+-[a-z]+$/],
    ['names', { name: 'branch_name', property: string }, /^[a-z]+-[a-z]+$/],
    ['names', { name: 'label', property: string }, /^[a-z]+-[a-z]+$/],
    ['addresses', { name: 'userEmail', property: string }, /^user\d+@example\.com$/],
    [
      'the first prefix of a pattern',
      { property: { ...string, pattern: '^(SM|MM)[0-9a-f]{8}$' } },
      /^SM[0-9a-f]{8}$/,
    ],
    ['texts of a UUID', { name: 'uuid', property: string }, /^[0-9a-f]{8}-/],
    ['texts of the format', { property: { ...string, format: 'uuid' } }, /^[0-9a-f]{8}-/],
    [
      'texts of a pattern',
      { property: { ...string, pattern: '^[A-Z]{3}-[a-f]{5}$' } },
      /^[A-Z]{3}-[a-f]{5}$/,
    ],
    [
      'texts of a prefix pattern',
      { property: { ...string, pattern: '^acct_[0-9]{6}$', example: 'acct_104233' } },
      /^acct_\d{6}$/,
    ],
    [
      'texts of the parameter',
      { property: string, parameter: { ...string, pattern: '^x\\d+y$' } },
      /^x\d+y$/,
    ],
    ['texts of digits', { property: { ...string, pattern: '^[0-9]{4}$' } }, /^\d{4}$/],
    ['addresses', { property: { ...string, format: 'ipv4' } }, /^10\.0\.0\.\d+$/],
  ])(
    '%s have the form of their example or schema, and are different',
    async (_kind, given, form) => {
      const ids = await idsFor(given, 20)

      for (const id of ids) expect(id).toMatch(form)
      expect(new Set(ids).size).toBe(20)
      expect(await idsFor(given, 20)).toEqual(ids)
    },
  )

  it('that are random differ between the collections of two parents, and counted ones do not', async () => {
    const random = await resourceIds({ property: { ...string, format: 'uuid' } })
    const counted = await resourceIds({ property: { type: 'integer' } })
    const first = (ids: ResourceIds, name: string): Id | undefined =>
      listIds(ids.create(1, name), 1)[0]

    expect(first(random, 'orgs/a/repos')).not.toBe(first(random, 'orgs/b/repos'))
    expect(first(counted, 'orgs/a/repos')).toBe(first(counted, 'orgs/b/repos'))
  })

  it.each<[given: Given, chosen: Id, next: Id]>([
    [{ property: { type: 'integer' } }, 41, 42],
    [{ property: string, examples: ['INV-0042'] }, 'INV-0042', 'INV-0043'],
    [{ property: string, examples: ['INV-0042'] }, 'mine', 'INV-0001'],
    [{ property: { type: 'integer', multipleOf: 10 } }, 50, 60],
    [{ property: { type: 'integer', format: 'int32' } }, 2 ** 31 - 1, 1],
    [{ property: { type: 'integer' } }, -3, 1],
  ])('go on after the id that a client chose: %j, %j', async (given, chosen, next) => {
    const ids = (await resourceIds(given)).create(1, 'things')

    expect(ids.next(ids.stateAfter(ids.start, chosen)).id).toBe(next)
  })

  it('end when all of them are taken', async () => {
    const ids = (await resourceIds({ parameter: { ...string, enum: ['free', 'pro'] } })).create(
      1,
      'plans',
    )

    expect(nextFreeId(ids, ids.start, (id) => id === 'free')?.id).toBe('pro')
    expect(nextFreeId(ids, ids.start, () => true)).toBeUndefined()
  })

  it('that are listed have a size', async () => {
    const ids = (await resourceIds({ parameter: { ...string, enum: ['free', 'pro'] } })).create(
      1,
      'plans',
    )

    expect(ids.size).toBe(2)
  })

  it('that only the path accepts are not in the property', async () => {
    const ids = await resourceIds({ property: { type: 'object' }, parameter: string })

    expect(ids.fitsProperty).toBe(false)
    expect((await resourceIds({ property: string, parameter: string })).fitsProperty).toBe(true)
  })

  it('are those of the property when the path accepts none', async () => {
    const ids = await resourceIds({ property: string, parameter: { type: 'object' } })

    expect(ids.fitsProperty).toBe(true)
    expect(listIds(ids.create(1, 'things'), 1)).toEqual(['000001'])
  })
})
