import fc, { type Arbitrary } from 'fast-check'
import type { Api, ApiOperation } from './api.ts'
import type { Schema } from './schema.ts'

/** In a target, to be put in from what the story knows by then. */
export const SLOT: RegExp = /<(id|cursor):(\d+)>/g

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

const STRANGE = [
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

const idSlot = fc.nat(50).map((at) => `<id:${at}>`)
const cursorSlot = fc.nat(20).map((at) => `<cursor:${at}>`)

/** A parameter's value, before it is encoded. */
function anyValue(name: string, schema: Schema): Arbitrary<string> {
  const likely = schema.enum ? fc.constantFrom(...schema.enum) : fc.constantFrom(...INTEGERS)
  const right = fc.integer({ min: 1, max: 12 }).map(String)
  return fc.oneof(
    { weight: 6, arbitrary: name === 'cursor' ? cursorSlot : likely },
    { weight: schema.type === 'integer' ? 6 : 0, arbitrary: right },
    { weight: 1, arbitrary: likely.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom('', ...STRANGE) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  )
}

/** Ways to write text in an address; the last two write what was never meant. */
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
  const near = names.flatMap((name) => [name.toUpperCase(), `${name}[]`, `${name}[x]`, ` ${name}`])
  const name = encoded(fc.constantFrom('page', '__proto__', 'constructor', '', ...near))
  const stranger = fc.tuple(name, encoded(fc.constantFrom('1', '', ...STRANGE)))
  const pair = fc.oneof(...known, ...known, ...known, stranger)

  return fc.oneof(
    { weight: 12, arbitrary: pair.map(([one, value]) => `${one}=${value}`) },
    { weight: 1, arbitrary: fc.constantFrom('', '=', '&', 'limit', '?', '%', 'limit==1', ';') },
  )
}

/** A query, its question mark included. */
function anyQuery(query: ApiOperation['query']): Arbitrary<string> {
  const pairs = fc.array(anyPair(query), { maxLength: 3 }).map((list) => `?${list.join('&')}`)
  return fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 5, arbitrary: pairs })
}

/** The path of a record, of one that is there or of none. */
function anyId(): Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: idSlot },
    { weight: 1, arbitrary: idSlot.map((slot) => `${slot}%00`) },
    { weight: 3, arbitrary: encoded(fc.constantFrom(...INTEGERS)) },
    { weight: 1, arbitrary: encoded(fc.uuid()) },
    { weight: 1, arbitrary: encoded(fc.constantFrom(...STRANGE)) },
    { weight: 1, arbitrary: encoded(fc.string({ unit: 'grapheme', minLength: 1 })) },
  )
}

/** Paths that the document does not have, or nearly has. */
function strangePath({ path, basePath }: Api): Arbitrary<string> {
  const known = ['', '/', `${path}/`, `${path}//`, `/${path}`, path.toUpperCase(), `${path}%2F1`]
  const more = [
    `${path}/1/2`,
    `${path}/.`,
    `${path}/../x`,
    '/../x',
    `${basePath}${path}`,
    `${path};a=1`,
  ]
  const pieces = fc.array(encoded(fc.constantFrom('pets', 'books', 'dogs', ...STRANGE)), {
    maxLength: 3,
  })

  return fc.oneof(
    fc.constantFrom(...known, ...more),
    pieces.map((list) => `/${list.join('/')}`),
  )
}

/** A target below the base address: the operation's own, as a rule. */
export function anyTarget(api: Api, { template, query }: ApiOperation): Arbitrary<string> {
  const own = template.includes('{')
    ? anyId().map((id) => template.replace(/\{[^}]*\}/, () => id))
    : fc.constant(template)
  const path = fc.oneof({ weight: 12, arbitrary: own }, { weight: 1, arbitrary: strangePath(api) })
  return fc.tuple(path, anyQuery(query)).map(([one, two]) => one + two)
}
