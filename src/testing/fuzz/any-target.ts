import fc, { type Arbitrary } from 'fast-check'
import type { Api, ApiOperation } from './api.ts'
import type { Schema } from './schema.ts'

/** A placeholder in a target. It is replaced by an id or a cursor that exists when the request is sent. */
export const PLACEHOLDER: RegExp = /<(id|cursor):(\d+)>/g

const INTEGERS = [
  '0',
  '1',
  '2',
  '5',
  '99',
  '100',
  '101',
  '-1',
  '-0',
  '01',
  '+1',
  '1.0',
  '1e1',
  '0x10',
  ' 5',
  '5 ',
  '1_0',
  '\u0661',
  '9007199254740991',
  '9007199254740992',
  '99999999999999999999',
  'NaN',
  'null',
  'limit',
]

const UNUSUAL = [
  '__proto__',
  'constructor',
  '[]',
  '{}',
  '\u0000',
  "' OR 1=1",
  '..',
  '\ud83d\udc3e',
  ',',
  '%',
  '&',
  '#',
]

const idPlaceholder = fc.nat(50).map((index) => `<id:${index}>`)
const cursorPlaceholder = fc.nat(20).map((index) => `<cursor:${index}>`)

/** The value of a parameter, before it is encoded. */
function anyValue(name: string, schema: Schema): Arbitrary<string> {
  const likely = schema.enum ? fc.constantFrom(...schema.enum) : fc.constantFrom(...INTEGERS)
  const valid = fc.integer({ min: 1, max: 12 }).map(String)
  return fc.oneof(
    { weight: 6, arbitrary: name === 'cursor' ? cursorPlaceholder : likely },
    { weight: schema.type === 'integer' ? 6 : 0, arbitrary: valid },
    { weight: 1, arbitrary: likely.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom('', ...UNUSUAL) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  )
}

/** A text, encoded for a URL in various ways. The last two ways are invalid. */
function encoded(text: Arbitrary<string>): Arbitrary<string> {
  const ways: readonly ((text: string) => string)[] = [
    encodeURIComponent,
    encodeURIComponent,
    encodeURIComponent,
    everyByte,
    (one) => one,
    (one) => one.replaceAll(' ', '+'),
    (one) => `${encodeURIComponent(one)}%E0%A4`,
    (one) => `${encodeURIComponent(one)}%`,
  ]
  return fc
    .tuple(text, fc.constantFrom(...ways))
    .map(([one, way]) => (one.startsWith('<') ? one : way(one)))
}

function everyByte(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

function anyPair(query: ApiOperation['query']): Arbitrary<string> {
  const known = Object.entries(query).map(([name, schema]) =>
    fc.tuple(encoded(fc.constant(name)), encoded(anyValue(name, schema))),
  )
  const names = Object.keys(query)
  const similar = names.flatMap((name) => [
    name.toUpperCase(),
    `${name}[]`,
    `${name}[x]`,
    ` ${name}`,
  ])
  const name = encoded(fc.constantFrom('page', '__proto__', 'constructor', '', ...similar))
  const unknown = fc.tuple(name, encoded(fc.constantFrom('1', '', ...UNUSUAL)))
  const pair = fc.oneof(...known, ...known, ...known, unknown)

  return fc.oneof(
    { weight: 12, arbitrary: pair.map(([one, value]) => `${one}=${value}`) },
    { weight: 1, arbitrary: fc.constantFrom('', '=', '&', 'limit', '?', '%', 'limit==1', ';') },
  )
}

/** A query with its question mark, or an empty text. */
function anyQuery(query: ApiOperation['query']): Arbitrary<string> {
  const pairs = fc.array(anyPair(query), { maxLength: 3 }).map((list) => `?${list.join('&')}`)
  return fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 5, arbitrary: pairs })
}

/** An id of an existing record or of none. */
function anyId(): Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: idPlaceholder },
    { weight: 1, arbitrary: idPlaceholder.map((id) => `${id}%00`) },
    { weight: 3, arbitrary: encoded(fc.constantFrom(...INTEGERS)) },
    { weight: 1, arbitrary: encoded(fc.uuid()) },
    { weight: 1, arbitrary: encoded(fc.constantFrom(...UNUSUAL)) },
    { weight: 1, arbitrary: encoded(fc.string({ unit: 'grapheme', minLength: 1 })) },
  )
}

/** Paths that are not in the document, some of them similar to its paths. */
function unknownPath({ path, basePath }: Api): Arbitrary<string> {
  const known = ['', '/', `${path}/`, `${path}//`, `/${path}`, path.toUpperCase(), `${path}%2F1`]
  const more = [
    `${path}/1/2`,
    `${path}/.`,
    `${path}/../x`,
    '/../x',
    `${basePath}${path}`,
    `${path};a=1`,
  ]
  const segments = fc.array(encoded(fc.constantFrom('pets', 'books', 'dogs', ...UNUSUAL)), {
    maxLength: 3,
  })

  return fc.oneof(
    fc.constantFrom(...known, ...more),
    segments.map((list) => `/${list.join('/')}`),
  )
}

/** A path and query after the base URL, usually of the operation. */
export function anyTarget(api: Api, { template, query }: ApiOperation): Arbitrary<string> {
  const own = template.includes('{')
    ? anyId().map((id) => template.replace(/\{[^}]*\}/, () => id))
    : fc.constant(template)
  const path = fc.oneof({ weight: 12, arbitrary: own }, { weight: 1, arbitrary: unknownPath(api) })
  return fc.tuple(path, anyQuery(query)).map(([one, two]) => one + two)
}
