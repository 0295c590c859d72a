import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type SandboxOptions } from '../index.ts'
import {
  changeResponse,
  isList,
  isRead,
  type Mutation,
  withHeaders,
  withJson,
  withStatus,
} from '../testing/mutants/mutation.ts'
import type { Difference } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
})

/** The differences between a sandbox and another one with these options and this mutation. */
async function differences(
  options: SandboxOptions,
  mutation: Mutation = (request, answer) => answer(request),
): Promise<readonly Difference[]> {
  const sandbox = createSandbox(options)
  sandbox.clock.freeze()
  const verification = await verify('https://real.test/v1', contract, {
    key: 'sk_sandbox_pro',
    writes: true,
    exhaust: true,
    twin: true,
    budget: 500,
    fetch: (request) => mutation(request, (one) => sandbox.fetch(one), sandbox),
    now: () => sandbox.clock.now(),
    sleep: async (length) => {
      sandbox.clock.advance(length)
    },
  })
  return verification.differences ?? []
}

const isServed = (_: Request, { ok }: Response): boolean => ok

describe('the comparison with a sandbox', () => {
  test.each([
    ['with default options', {}],
    ['with other records', { seed: 9, records: 31 }],
    ['with one record', { records: 1 }],
    ['without records', { records: 0 }],
    ['with more records than one page', { records: 170 }],
    ['with another quota', { plans: { pro: { minute: 40, day: 9000 } } }],
    ['with a small quota per day', { plans: { pro: { minute: 400, day: 300 } } }],
  ] as const satisfies readonly [string, SandboxOptions][])(
    'finds no differences to another sandbox %s',
    async (_what, options) => {
      expect(await differences(options)).toEqual([])
    },
  )

  test('finds another status, and shows the request', async () => {
    const found = await differences(
      {},
      changeResponse(
        (_, { status }) => status === 400,
        (one) => withStatus(one, 422),
      ),
    )

    expect(found).toContainEqual({
      operation: 'createPet',
      what: 'status',
      place: 'POST /pets {"categoryId":1}',
      target: '422',
      sandbox: '400',
    })
    expect(found.every(({ what }) => what === 'status')).toBe(true)
  })

  test('finds a header that only one of them has', async () => {
    const found = await differences(
      {},
      changeResponse(isServed, (one) =>
        withHeaders(one, { Location: undefined, 'X-Version': '7' }),
      ),
    )

    expect(found).toContainEqual({
      operation: 'createPet',
      what: 'header',
      place: 'location',
      status: 201,
      target: 'none',
      sandbox: 'a URL',
    })
    expect(found).toContainEqual({
      operation: 'listPets',
      what: 'header',
      place: 'x-version',
      status: 200,
      target: 'an integer',
      sandbox: 'none',
    })
  })

  test('finds a header of another kind', async () => {
    const found = await differences(
      {},
      changeResponse(
        (_, { status }) => status === 429,
        (one) => withHeaders(one, { 'Retry-After': 'Sat, 21 Nov 2026 11:18:00 GMT' }),
      ),
    )

    expect(found).toContainEqual({
      operation: 'listPets',
      what: 'header',
      place: 'retry-after',
      status: 429,
      target: 'a date',
      sandbox: 'an integer',
    })
  })

  test('finds a value of another type, and shows its path', async () => {
    const found = await differences(
      {},
      changeResponse(isServed, (one, request) => {
        if (isRead(request)) return withJson(one, (row) => ({ ...row, categoryId: String(row.id) }))
        const tagged = (rows: object[]): object[] =>
          rows.map((row) => ({ ...row, tags: ['small'] }))
        return isList(request) ? withJson(one, tagged) : one
      }),
    )

    expect(found).toEqual([
      {
        operation: 'listPets',
        what: 'body',
        place: '[].tags',
        status: 200,
        target: 'array',
        sandbox: 'none',
      },
      {
        operation: 'getPet',
        what: 'body',
        place: 'categoryId',
        status: 200,
        target: 'string',
        sandbox: 'integer',
      },
    ])
  })
})
