import fc, { type Arbitrary } from 'fast-check'
import { anyText } from './any-json.ts'

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

/** A request to the control interface; `raw` is its body. */
export interface ControlRequest {
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

/** A valid or invalid request to the control interface. */
export const anyControlRequest: Arbitrary<ControlRequest> = fc
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
