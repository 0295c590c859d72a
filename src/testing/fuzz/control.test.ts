import fc, { type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import { type OpenedControl, openControl } from '../control.ts'
import { CASES } from '../long-run.ts'
import { anyText } from './any-json.ts'
import { checkProperty } from './check-sequences.ts'

const TIMEOUT = 600_000

/** Paths of the control interface, with places for names. The journal's streams wait, and are left out. */
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

/** What bodies of the control interface say, and what they may not. */
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

interface Asked {
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

const asked: Arbitrary<Asked> = fc
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
  { steer: send }: OpenedControl,
  { method, path, raw }: Asked,
): Promise<number> {
  const { status } = await send(method, path, raw === undefined ? {} : { raw })
  return status
}

it(
  'the control interface answers whatever it is asked as its document says, and a reset undoes all',
  async () => {
    const fresh = (await openControl().sandbox.snapshot()).state
    const story = fc.asyncProperty(
      fc.array(asked, { maxLength: 20, size: 'max' }),
      async (list) => {
        const desk = openControl()
        for (const one of list)
          expect(await steer(desk, one), JSON.stringify(one)).toBeLessThan(500)

        desk.sandbox.reset()
        desk.sandbox.clock.set('2027-03-01T12:00:00.000Z')
        expect((await desk.sandbox.snapshot()).state).toEqual(fresh)
      },
    )
    await checkProperty(story, Math.ceil(CASES / 60))
  },
  TIMEOUT,
)
