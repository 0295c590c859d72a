import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../generated/contract.ts'
import { scaledRuns } from '../testing/long-run.ts'
import { createMisusedSandbox } from '../testing/report-inputs.ts'
import { UsageError } from '../validation/usage-error.ts'
import { toAnnotations, toSummary } from './github.ts'
import { toHtml } from './html/page.tsx'
import { reportToJUnit } from './junit.ts'
import { readHar } from './read-har.ts'
import { readReport } from './read-report.ts'
import { type Report, report } from './report.ts'
import type { ReportEntry } from './report-entry.ts'
import { toText } from './text.ts'

const PLANS = [{ name: 'free', minute: 6, day: 1000 }]

let har: unknown
let written: unknown

beforeAll(async () => {
  const sandbox = await createMisusedSandbox()
  har = JSON.parse(JSON.stringify(await sandbox.journal.toHar({ limit: 12 })))
  written = JSON.parse(JSON.stringify(await reportOn(har)))
})

async function entriesIn(value: unknown): Promise<readonly (readonly ReportEntry[])[]> {
  return readReport(value, contract.title)?.recordings ?? [(await readHar(value, contract)).entries]
}

async function reportOn(value: unknown): Promise<Report> {
  return report(await entriesIn(value), contract, { plans: PLANS })
}

/** A report in all output formats. */
function textOf(one: Report): string {
  return [
    toText(one),
    JSON.stringify(one),
    reportToJUnit(one),
    toHtml(one),
    toAnnotations(one),
    toSummary(one),
  ].join('\n')
}

/** The paths of all members of a value. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, one]) => pathsIn(one, [...path, name]))]
}

/** A copy of a value, with another value at one path. */
function changed(value: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined) return other
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...Object(value) }
  Reflect.set(copy, name, changed(Reflect.get(copy, name), rest, other))
  return copy
}

const STRANGE = [
  ...[undefined, null, true, '', [], {}, [null], [[]], [{}], [{ name: null, value: 5 }]],
  ...[-1, 0.5, 1e308, -1e308, 1e21, Number.MAX_SAFE_INTEGER, 8.64e15, 253402300799999],
  ...['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', 'soon'],
  ...['__proto__', 'constructor', 'toString', '1e400', '9'.repeat(400), '-5', 'http://[', '\u0000'],
  ...[{ toString: 1 }, { length: -1 }, JSON.parse('{"__proto__":null}')],
] as const

/** The headers that a report reads. */
const HEADERS = [
  'Retry-After',
  'Link',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

const values = fc.oneof(
  fc.constantFrom<unknown[]>(...STRANGE),
  fc.record({ name: fc.constantFrom(...HEADERS), value: fc.constantFrom(...STRANGE) }),
  fc.tuple(
    fc.record({
      name: fc.constantFrom(...HEADERS),
      value: fc.oneof(
        fc.string(),
        fc.constantFrom(...STRANGE.filter((one) => typeof one === 'string')),
      ),
    }),
  ),
  fc.jsonValue(),
)

describe('an archive in which any member is replaced by any value', () => {
  test.each([
    ['an HTTP archive', () => har],
    ['the JSON of a report', () => written],
  ])('gives a complete report or an error of one line: %s', async (_what, archive) => {
    const valid = archive()
    const paths = pathsIn(valid)
    const member = fc.tuple(fc.constantFrom(...paths), values)

    await fc.assert(
      fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 3 }), async (changes) => {
        const damaged = changes.reduce((one, [path, other]) => changed(one, path, other), valid)
        const result = await reportOn(damaged).catch((error: unknown) => error)

        if (result instanceof UsageError) expect(result.message).toMatch(/^Cannot [^\n]+$/)
        else
          expect(textOf(result as Report)).not.toMatch(
            /\bNaN\b|Invalid Date|\bInfinity\b|>undefined|undefined /,
          )
      }),
      { numRuns: scaledRuns(30), seed: 14 },
    )
  })
})

/** An entry of an archive, with status 429 unless `more` has another response. */
function archived(url: string, more: Record<string, unknown> = {}): unknown {
  return {
    startedDateTime: '2027-03-01T12:00:00.000Z',
    time: 5,
    request: { method: 'GET', url, headers: [] },
    response: { status: 429, headers: [{ name: 'Retry-After', value: '86400' }] },
    ...more,
  }
}

const PETS = 'http://127.0.0.1/v1/pets'

/** Each would take minutes in quadratic time. */
const LARGE: readonly [what: string, entries: () => readonly unknown[]][] = [
  ['20,000 equal entries', () => Array.from({ length: 20_000 }, () => archived(PETS))],
  [
    '20,000 requests with a 429, each with another key',
    () =>
      Array.from({ length: 20_000 }, (_, at) => {
        const headers = [{ name: 'Authorization', value: `Bearer key_${at}_${at}` }]
        return archived(PETS, { request: { method: 'GET', url: PETS, headers } })
      }),
  ],
  [
    'a Link header of 200,000 opening brackets, and a Retry-After of as many digits',
    () => {
      const headers = [
        { name: 'Link', value: '<'.repeat(200_000) },
        { name: 'Retry-After', value: '1'.repeat(200_000) },
      ]
      return [archived(PETS, { response: { status: 429, headers } })]
    },
  ],
  [
    'a URL that repeats the base path',
    () => [
      archived(PETS + '/v1/x'.repeat(200_000)),
      archived(PETS + '/v1/x'.repeat(10_000)),
      archived(PETS),
    ],
  ],
]

test.each(LARGE)('reports on %s in linear time', async (_what, entries) => {
  const result = await reportOn({ log: { entries: entries() } })

  expect(textOf(result)).toContain(contract.title)
})

test('reports on 20,000 recordings, and on requests of 20,000 operations, in linear time', async () => {
  const { entries, ...rest } = await reportOn({ log: { entries: [archived(PETS)] } })
  const [first] = entries
  const many = Array.from({ length: 20_000 }, (_, at) => ({
    ...first,
    recording: (at % 10_000) + 1,
    operation: `operation${at}`,
    number: at + 1,
  }))

  const result = await reportOn({ ...rest, entries: many })

  expect(result.requests).toBe(20_000)
  expect(textOf(result)).toContain(contract.title)
})
