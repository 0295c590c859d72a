import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type SandboxOptions } from '../index.ts'
import { isLongRun } from '../testing/long-run.ts'
import { CREATION_MUTANTS } from '../testing/mutants/creation-mutants.ts'
import {
  clampLimit,
  combine,
  isAny,
  isListed,
  KEY,
  replaceParameter,
  retryAfterAsDate,
} from '../testing/mutants/defects.ts'
import { ERROR_MUTANTS } from '../testing/mutants/error-mutants.ts'
import { LIMIT_MUTANTS } from '../testing/mutants/limit-mutants.ts'
import { LIST_MUTANTS } from '../testing/mutants/list-mutants.ts'
import type { Mutant } from '../testing/mutants/mutant.ts'
import {
  changeResponse,
  changeUrl,
  type Mutation,
  withHeaders,
  withJson,
  withStatus,
} from '../testing/mutants/mutation.ts'
import { QUOTA_HEADER_MUTANTS } from '../testing/mutants/quota-mutants.ts'
import { READ_MUTANTS } from '../testing/mutants/read-mutants.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract
let library: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
  library = await loadContract('src/testing/library.yaml')
})

const EVERYTHING = { writes: true, budget: 150 } as const

/** Verifies a sandbox in process; its clock advances only while `verify` waits. */
function run(
  options: VerifyOptions,
  {
    mutation = (request, answer) => answer(request),
    ...given
  }: SandboxOptions & { readonly mutation?: Mutation; readonly at?: string } = {},
): Promise<Verification> {
  // Not at the end of a minute, where one second would be the rest of the window.
  const { at = '2026-11-21T10:00:15Z', ...settings } = given
  const sandbox = createSandbox(settings)
  sandbox.clock.freeze()
  sandbox.clock.set(at)
  const document = settings.contract ?? contract

  return verify(`http://target.test${document.basePath}`, document, {
    key: KEY,
    decisions: true,
    fetch: (request) => mutation(request, (one) => sandbox.fetch(one), sandbox),
    now: () => sandbox.clock.now(),
    sleep: async (length) => {
      sandbox.clock.advance(length)
    },
    ...options,
  })
}

function idsOf({ checks }: Verification, status: string): string[] {
  return checks.filter((check) => check.status === status).map(({ id }) => id)
}

/** The ids of checks of decisions. */
const DECISIONS =
  /\/400$|listPets\/(order|head|pages|cursor)|default\/|Location|WWW-|body\/4|^unknown|^wrong-m.*pets$|deprecation|Sunset/

/** Checks that evaluate the responses to the probes of their operation: alone, they have none. */
const EVALUATES_OPERATION = /\/[1-5]\d\d\/|\/deprecation\/|full\/id$/

/** Checks that evaluate the responses to all probes, or to those of the quota. */
const EVALUATES_ALL = /^errors\/|\/429\/|-Remaining$/

/** Runs as few checks as the one needs. `npm run fuzz` runs all checks for each mutant. */
function onlyFor(id: string): VerifyOptions {
  if (isLongRun || EVALUATES_ALL.test(id)) return {}
  return { check: EVALUATES_OPERATION.test(id) ? id.replace(/\/.*/, '') : id }
}

/** Defects that a run within the quota finds. */
const MUTANTS: readonly Mutant[] = [
  ...LIST_MUTANTS,
  ...READ_MUTANTS,
  ...CREATION_MUTANTS,
  ...ERROR_MUTANTS,
  ...QUOTA_HEADER_MUTANTS,
]

describe('verify finds this defect:', () => {
  test.each(MUTANTS)('%s (%s)', async (_what, id, mutation) => {
    const verification = await run({ ...EVERYTHING, ...onlyFor(id) }, { mutation })

    expect(verification.unusable).toBeUndefined()
    expect(idsOf(verification, 'failed')).toContain(id)
  })

  test.each(LIMIT_MUTANTS)('%s (%s)', async (_what, id, mutation) => {
    const verification = await run(
      { ...EVERYTHING, exhaust: true, budget: 500, ...onlyFor(id) },
      { mutation },
    )

    expect(idsOf(verification, 'failed')).toContain(id)
  })
})

describe('a check of a decision', () => {
  const decided = MUTANTS.filter(([, id]) => DECISIONS.test(id))

  test('covers many of the defects', () => {
    expect(decided.length).toBeGreaterThan(20)
  })

  test.each(decided)(
    'does not count as failed with decisions: false: %s (%s)',
    async (_what, id, mutation) => {
      const verification = await run(
        { ...EVERYTHING, decisions: false, ...onlyFor(id) },
        { mutation },
      )

      expect(idsOf(verification, 'failed')).toEqual([])
      expect([...idsOf(verification, 'differs'), ...idsOf(verification, 'left-out')]).toContain(id)
    },
  )
})

describe('verify finds no failure in', () => {
  const correct = [
    ['reading', {}, {}],
    ['everything', { ...EVERYTHING, exhaust: true, budget: 500 }, {}],
    ['writes', { writes: true }, {}],
    ['an empty store', EVERYTHING, { records: 0 }],
    ['a single record', EVERYTHING, { records: 1 }],
    ['more records than a page holds', EVERYTHING, { records: 250 }],
    ['a plan that is spent at once', EVERYTHING, { plans: { pro: { minute: 7, day: 1000 } } }],
    [
      'a plan of one request a minute',
      { maxWait: '24h' },
      { plans: { pro: { minute: 1, day: 1000 } } },
    ],
    ['the day in place of the minute', EVERYTHING, { plans: { pro: { minute: 500, day: 400 } } }],
    [
      'a spent quota of another plan',
      { ...EVERYTHING, exhaust: true, budget: 200 },
      { plans: { pro: { minute: 20, day: 1000 } } },
    ],
    ['another seed', EVERYTHING, { seed: 7 }],
  ] as const satisfies readonly [string, VerifyOptions, SandboxOptions][]

  test.each(correct)('the sandbox: %s', async (_what, options, sandbox) => {
    const verification = await run(options, sandbox)

    expect(verification.unusable).toBeUndefined()
    expect(idsOf(verification, 'failed')).toEqual([])
    expect(idsOf(verification, 'differs')).toEqual([])
    expect(idsOf(verification, 'passed').length).toBeGreaterThan(30)
  })

  test.each([0, 50])('a sandbox of another document, with %d records', async (records) => {
    const access = { auth: 'keys', plans: { pro: { minute: 300, day: 10_000 } } } as const
    const keys = { [KEY]: 'pro' }
    const verification = await run(EVERYTHING, { contract: library, records, ...access, keys })

    expect(idsOf(verification, 'failed')).toEqual([])
    expect(verification.totals.passed).toBeGreaterThan(80)
  })

  test('a server that makes other decisions than the document', async () => {
    const otherwise = [
      changeResponse(isAny, (one) =>
        withHeaders(one, {
          Link: undefined,
          Location: undefined,
          Deprecation: undefined,
          Sunset: undefined,
          Allow: undefined,
          'WWW-Authenticate': undefined,
          'Retry-After': retryAfterAsDate(one),
        }),
      ),
      changeResponse(
        (_, { status }) => status === 429,
        ({ headers }) => new Response('slow down', { status: 429, headers }),
      ),
      changeResponse(
        (_, { status }) => status === 405,
        (one) => withStatus(one, 404),
      ),
      changeResponse(isListed, (one) => withJson(one, (rows: unknown[]) => rows.reverse())),
      changeUrl((url) => clampLimit(url)),
      changeUrl((url) => replaceParameter(url, 'status', 'no-such-value', undefined)),
      changeUrl((url) => replaceParameter(url, 'limit', '0', '1')),
      changeUrl((url) => replaceParameter(url, 'limit', 'abc', undefined)),
    ].reduce(combine)

    const verification = await run(
      { writes: true, exhaust: true, decisions: false, budget: 500 },
      { mutation: otherwise },
    )

    expect(idsOf(verification, 'failed')).toEqual([])
    expect(idsOf(verification, 'differs').length).toBeGreaterThan(8)
    expect(idsOf(verification, 'passed')).toContain('limits/agrees')
  })

  test('an operation after its removal', async () => {
    const verification = await run(EVERYTHING, { at: '2031-01-01T00:00:00Z' })

    expect(idsOf(verification, 'failed')).toEqual([])
    expect(idsOf(verification, 'passed')).toContain('getPet/removal')
  })
})
