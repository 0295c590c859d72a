import fc, { type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import { type OpenedControl, openControl } from '../control.ts'
import { CASES } from '../long-run.ts'
import { anyText } from './any-json.ts'
import { checkProperty } from './check-sequences.ts'

const TIMEOUT = 600_000

/** Paths of the control interface, with placeholders for names. Paths that wait for exchanges are left out. */
const PATHS = [
  '/',
  '/health',
  '/reset',
  '/snapshot',
  '/clock',
  '/outcomes',
  '/outcomes/{}',
  '/scenarios',
  '/scenarios/{}',
  '/records',
  '/records/{}',
  '/records/{}/{}',
  '/plans',
  '/plans/{}',
  '/keys',
  '/keys/{}',
  '/worlds',
  '/worlds/{}',
  '/journal',
  '/journal/har',
]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const NAMES = [
  'pets',
  '1',
  '0',
  'free',
  'sk_sandbox_free',
  'spent-quota',
  'default',
  'a',
  'b',
  '__proto__',
  'constructor',
  '%00',
  '%',
  '%F0%9F%90%BE',
  '..%2F',
  '9007199254740993',
]

/** Valid and invalid values of fields. */
const VALUES = [
  '"banned"',
  '"reset"',
  '"1s"',
  '"PT61S"',
  '"2030-12-05T00:00:00Z"',
  '"pets"',
  '"GET"',
  '"/pets/{petId}"',
  '"free"',
  '"a"',
  '"default"',
  '1',
  '0',
  '-1',
  '1e308',
  '8640000000000001',
  'true',
]

const FIELDS = [
  'set',
  'advance',
  'freeze',
  'resume',
  'advanceToReset',
  'advanceToBanEnd',
  'advanceToRemoval',
  'outcome',
  'operation',
  'method',
  'path',
  'key',
  'times',
  'skip',
  'probability',
  'retryAfter',
  'latency',
  'minute',
  'day',
  'plan',
  'name',
  'from',
  'categoryId',
  'status',
  'id',
  '__proto__',
]

const QUERIES = [
  '',
  '?limit=2',
  '?limit=',
  '?status=sold',
  '?after=1',
  '?method=GET',
  '?%',
  '?from=a',
]

interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly raw: string | undefined
}

const member = fc
  .tuple(fc.constantFrom(...FIELDS), fc.oneof(fc.constantFrom(...VALUES), anyText))
  .map(([field, value]) => `${JSON.stringify(field)}:${value}`)

const body = fc.oneof(
  { weight: 6, arbitrary: fc.array(member, { maxLength: 3 }).map((list) => `{${list}}`) },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.string() },
)

const anyRequest: Arbitrary<ControlRequest> = fc
  .record({
    method: fc.constantFrom(...METHODS),
    template: fc.constantFrom(...PATHS),
    names: fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)),
    world: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('/worlds/a', '/worlds/b', '/worlds/%', '/worlds/-') },
    ),
    query: fc.constantFrom(...QUERIES),
    raw: fc.option(body, { nil: undefined }),
  })
  .map(({ method, template, names: [first, second], world, query, raw }) => ({
    method,
    path: world + template.replace('{}', () => first).replace('{}', () => second) + query,
    raw: method === 'GET' ? undefined : raw,
  }))

async function steer(
  { callControl: send }: OpenedControl,
  { method, path, raw }: ControlRequest,
): Promise<number> {
  const { status } = await send(method, path, raw === undefined ? {} : { raw })
  return status
}

it(
  'the control interface returns documented responses to random requests, and a reset restores the first state',
  async () => {
    const fresh = (await openControl().sandbox.snapshot()).state
    const property = fc.asyncProperty(
      fc.array(anyRequest, { maxLength: 20, size: 'max' }),
      async (list) => {
        const opened = openControl()
        for (const one of list)
          expect(await steer(opened, one), JSON.stringify(one)).toBeLessThan(500)

        opened.sandbox.reset()
        opened.sandbox.clock.set('2027-03-01T12:00:00.000Z')
        expect((await opened.sandbox.snapshot()).state).toEqual(fresh)
      },
    )
    await checkProperty(property, Math.ceil(CASES / 60))
  },
  TIMEOUT,
)
