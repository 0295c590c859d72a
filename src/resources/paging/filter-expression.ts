import type { Schema } from '../../contract/contract.ts'
import { CONDITION, type FilterHints } from '../../contract/hints.ts'
import { typedValue } from '../../contract/parse-text.ts'
import { itemsOf, parsePointer, plainName, pointerTo, propertiesOf } from '../../contract/schema.ts'
import type { Comparison, RecordCheck, RecordTest } from '../../records/selection.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import { readQualifiers } from './search-qualifiers.ts'

// Comparisons of properties, joined by `and` and `or`: in one text, as SCIM (RFC 7644, section 3.4.2.2), OData, RSQL, Google's AIP-160 and
// others have them, such as `status eq "open" and (size gt 5 or startswith(name,'A'))`, or as objects such as
// `{ field: 'status', operator: '=', value: 'open' }`.

type Operator = Comparison | 'in' | 'out' | 'missing'

/** The words and signs that compare a property with a value. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  ...words('equal', 'eq = == : is === equal equals equalto ieq eqi'),
  ...words('not', 'ne neq != <> isnot noteq notequal notequals notequalto nie nei'),
  ...words('after', 'gt > greaterthan after'),
  ...words(
    'from',
    'ge gte gteq >= greaterthanequal greaterthanorequal greaterthanorequalto onorafter',
  ),
  ...words('before', 'lt < lessthan before'),
  ...words('to', 'le lte lteq <= lessthanequal lessthanorequal lessthanorequalto onorbefore'),
  ...words('contains', 'co cont icont contains ~ like ilike containstoken icontains containsi'),
  ...words('starts', 'sw start startswith beginswith ^ istartswith startswithi'),
  ...words('ends', 'ew end endswith $ iendswith endswithi'),
  ...words('in', 'in anyof oneof'),
  ...words('out', 'out nin notin noneof'),
  ...words(
    'exists',
    'pr present exists isset hasproperty isnotempty isnotnull notnull nnull nempty',
  ),
  ...words('missing', 'blank notexists isempty isnull nothasproperty null empty'),
}

function words<Named extends string>(is: Named, names: string): Readonly<Record<string, Named>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, is]))
}

/** A quoted text, a time, a sign, `=gt=` of RSQL, or a word. */
const TOKEN =
  /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.|'')*)'|(\d{4}-\d\d-\d\dT[\w:.+-]+)|=([a-z]+)=|(===?|!=|<>|>=|<=|&&|\|\||[()[\],;=<>:~!])|([^\s()[\]"',;=<>:~!&|]+))/y

interface Token {
  readonly text: string
  readonly kind: 'quoted' | 'sign' | 'word'
}

function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    if (!found) return undefined
    const [, double, single, time, rsql, sign, word] = found
    const quoted = double?.replaceAll(/\\(.)/g, '$1') ?? single?.replaceAll(/\\(.)|'(?=')/g, '$1')
    if (quoted !== undefined) tokens.push({ text: quoted, kind: 'quoted' })
    else if (sign !== undefined || rsql !== undefined)
      tokens.push({ text: rsql ?? sign ?? '', kind: 'sign' })
    else tokens.push({ text: time ?? word ?? '', kind: 'word' })
  }
  return tokens
}

/** The most tokens of an expression, so that a long text takes no time and no deep stack. */
const MAX_TOKENS = 500

/** A filter with the value that a request has for it. */
export interface SentFilter {
  readonly filter: FilterHints
  readonly parameter: string
  readonly value: unknown
}

/** What an expression asks of the records; `undefined` for a text that is none. */
export function readFilterValue(
  { value: sent, parameter, filter: { property, is } }: SentFilter,
  schema: Schema,
  query: string,
): readonly RecordCheck[] | undefined {
  const value = bracketsIn(query, parameter) ?? sent
  if (is === 'labels')
    return readLabels([value].flat().join(), parsePointer(pointerTo([property].flat()[0] ?? '')))
  const found = readProperties(value, schema)
  if (typeof value === 'object')
    return readConditions(value, schema) ?? found ?? knownMembers(value, schema)
  const text = String(value)
  const places = [property].flat().map((one) => parsePointer(pointerTo(one)))

  return found ?? readExpression(text, schema) ?? readQualifiers(text, schema, places)
}

/** What an expression asks of records with a schema; `undefined` when it is none, or names what no record has. */
export function readExpression(text: string, schema: Schema): readonly RecordCheck[] | undefined {
  const tokens = tokensOf(text)
  if (!tokens || tokens.length < 2 || tokens.length > MAX_TOKENS) return undefined
  const reader = new ExpressionReader(tokens, schema)
  const checks = reader.either()

  return reader.isAtEnd ? checks : undefined
}

/** A requirement of a label selector: `!name`, `name in (a, b)`, `name notin (a, b)`, `name=value`, `name==value`, `name!=value` or `name`. */
const LABEL = /^(!)?\s*([\w./-]+)\s*(?:(==?|!=|:)\s*([^,()]*)|\s(in|notin)\s*\(([^()]*)\))?$/i

/**
 * What a label selector, as Kubernetes has it, asks of the labels in a place of a record: `env=prod,tier in (web, app),!old`. What is no
 * requirement asks nothing.
 */
export function readLabels(text: string, place: readonly string[]): readonly RecordTest[] {
  // A comma in brackets separates values.
  const requirements = text.split(/,(?![^()]*\))/)
  return requirements.flatMap((requirement): RecordTest | readonly RecordTest[] => {
    const found = LABEL.exec(requirement.trim())
    if (!found) return []
    const [, without, name = '', sign, value = '', set, listed = ''] = found
    const places = [[...place, name]]
    if (sign === undefined && set === undefined)
      return { places, is: 'exists', wanted: [without === undefined] }
    const wanted = set === undefined ? [value] : listed.split(',')
    const isNot = sign === '!=' || set?.toLowerCase() === 'notin'
    return { places, is: isNot ? 'not' : 'equal', wanted: wanted.map((one) => one.trim()) }
  })
}

/** The deepest objects of comparisons. */
const MAX_DEPTH = 10

/**
 * What objects such as `{ field: 'status', operator: '=', value: 'open' }` ask of records with a schema, alone, in lists and in objects such
 * as `{ operator: 'OR', value: [ … ] }`; `undefined` when they are none, or name what no record has.
 */
export function readConditions(value: unknown, schema: Schema, depth = 0): Checks | undefined {
  if (depth > MAX_DEPTH) return undefined
  const inner = (list: readonly unknown[]): readonly Checks[] | undefined => {
    const all = list.flatMap((one) => {
      const read = readConditions(one, schema, depth + 1)
      return read ? [read] : []
    })
    return all.length === list.length ? all : undefined
  }
  if (Array.isArray(value)) return inner(value)?.flat()
  if (!isObject(value)) return undefined
  const named = (names: RegExp): unknown =>
    Object.entries(value).find(([name]) => names.test(plainName(name)))?.[1]
  const field = named(CONDITION.field)
  const operator = String(named(CONDITION.operator) ?? '')
  if (typeof field === 'string') {
    const place = placeIn(schema, field.split(/[./]/))
    const is = operator === '' ? 'equal' : operatorOf(operator)
    const wanted = named(CONDITION.value)
    return place && is && [comparison(place, is, [wanted].flat())]
  }
  const any = named(CONDITION.any)
  const all = any ?? named(CONDITION.all)
  if (!Array.isArray(all)) return undefined
  const read = inner(all)
  const isAny = any !== undefined || /^(or|any)$/i.test(operator)

  return read && (isAny ? [{ either: read }] : read.flat())
}

type Checks = readonly RecordCheck[]

/**
 * What an object by the names of properties asks of records with a schema: `{ status: 'open', size: { _gt: 5 } }`, `{ $or: [ … ] }`, also a
 * JSON text of it; `undefined` when it names what no record has, or compares in a way that is not known.
 */
export function readProperties(value: unknown, schema: Schema): Checks | undefined {
  if (typeof value !== 'string') return isObject(value) ? checksOf(value, schema, []) : undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return isObject(parsed) ? checksOf(parsed, schema, []) : undefined
  } catch {
    return undefined
  }
}

/** What the understood properties of an object ask of records. */
function knownMembers(value: unknown, schema: Schema): Checks {
  const members = isObject(value) ? Object.entries(value) : []
  return members.flatMap(([name, one]) => readProperties({ [name]: one }, schema) ?? [])
}

/** The object that a query has in brackets, such as `{ name: { _eq: 'Ann' } }` of `filter[name][_eq]=Ann`; `undefined` without any. */
function bracketsIn(query: string, name: string): object | undefined {
  if (!/[[]|%5b/i.test(query)) return undefined
  const found: Record<string, unknown> = {}
  for (const [sent, value] of new URLSearchParams(query)) {
    const keys = sent.startsWith(`${name}[`) ? sent.slice(name.length).match(/[^[\]]+/g) : null
    if (keys) addAt(found, keys.slice(0, MAX_BRACKETS), value)
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** The deepest brackets. */
const MAX_BRACKETS = 10

/** Adds a value to what an object has at a path. Several values there are a list. */
function addAt(into: Record<string, unknown>, keys: readonly string[], value: string): void {
  const [key = '', ...rest] = keys
  const present = getOwn(into, key)
  if (rest.length === 0) {
    setOwn(into, key, present === undefined ? value : [present, value].flat())
    return
  }
  const inner: Record<string, unknown> = isObject(present) ? { ...present } : {}
  addAt(inner, rest, value)
  setOwn(into, key, inner)
}

/** The words that join objects, and around them. */
const JOINED = /^[_$]?(and|or|not|where|filters?)$/

/** What an object asks of what is at a path in records. */
function checksOf(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  path: readonly string[],
): Checks | undefined {
  if (path.length > MAX_DEPTH) return undefined
  const read = Object.entries(value).map(([name, wanted]): Checks | undefined => {
    const [, word] = JOINED.exec(name) ?? []
    const place = placeIn(schema, [...path, ...name.split('.')])
    if (word !== undefined && !place) return joinedChecks(word, wanted, schema, path)
    if (isObject(wanted)) return checksOf(wanted, schema, [...path, ...name.split('.')])
    if (place) return [comparison(place, Array.isArray(wanted) ? 'in' : 'equal', [wanted].flat())]
    const own = path.length > 0 ? placeIn(schema, path) : undefined
    return (own && comparedWith(own, name, wanted)) ?? suffixed(name, wanted, schema, path)
  })
  return read.includes(undefined) ? undefined : read.flatMap((checks) => checks ?? [])
}

function joinedChecks(
  word: string,
  value: unknown,
  schema: Schema,
  path: readonly string[],
): Checks | undefined {
  // `or[0][status]` in a query is a list, too.
  const isNumbered = isObject(value) && Object.keys(value).every((name) => /^\d+$/.test(name))
  const all = isNumbered ? Object.values(value) : [value].flat()
  const read = all.map((one) => (isObject(one) ? checksOf(one, schema, path) : undefined))
  const known = read.flatMap((checks) => (checks ? [checks] : []))
  if (known.length < read.length) return undefined
  if (word === 'not') return opposite(known.flat())

  return word === 'or' ? [{ either: known }] : known.flat()
}

/** What `{ _gt: 5 }` asks of a property. */
function comparedWith(place: Place, operator: string, value: unknown): Checks | undefined {
  const plain = plainName(operator)
  const values = [value].flat()
  const listed = values.flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]))
  if (plain === 'between' && listed.length === 2)
    return [comparison(place, 'from', [listed[0]]), comparison(place, 'to', [listed[1]])]
  const is = operatorOf(plain)
  if (is === 'exists' || is === 'missing') {
    const isSaid = !/^(false|0)$/i.test(String(value))
    return [comparison(place, isSaid === (is === 'exists') ? 'exists' : 'missing', [])]
  }
  return is && [comparison(place, is, is === 'in' || is === 'out' ? listed : values)]
}

/** A name that ends with what compares it: `title_cont`, `price_not_eq`, `name__contains`. */
const SUFFIXED = /^(.*?[^_])_{1,2}((?:not_|i_)?[a-z]+)$/i

/** What `{ title_cont: 'a' }` asks of the property `title`. */
function suffixed(
  name: string,
  value: unknown,
  schema: Schema,
  path: readonly string[],
): Checks | undefined {
  const [, base, operator] = SUFFIXED.exec(name) ?? []
  if (base === undefined || operator === undefined) return undefined
  const place = placeIn(schema, [...path, ...base.split('.')])
  if (place) return comparedWith(place, operator, value)
  return undefined
}

class ExpressionReader {
  readonly #tokens: readonly Token[]
  readonly #schema: Schema
  #at = 0

  constructor(tokens: readonly Token[], schema: Schema) {
    this.#tokens = tokens
    this.#schema = schema
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  /** Alternatives. */
  either(): Checks | undefined {
    const all = this.#joined(/^(or|\|\|)$/i, () => this.#every())
    if (!all) return undefined
    const [only = [], ...others] = all
    return others.length === 0 ? only : [{ either: all }]
  }

  #every(): Checks | undefined {
    return this.#joined(/^(and|&&|[;,])$/i, () => this.#one())?.flat()
  }

  #joined(sign: RegExp, read: () => Checks | undefined): readonly Checks[] | undefined {
    const all: Checks[] = []
    do {
      const one = read()
      if (!one) return undefined
      all.push(one)
    } while (this.#take(sign))
    return all
  }

  /** A comparison, a call such as `contains(name,'a')`, or what is in brackets. */
  #one(): Checks | undefined {
    if (this.#take(/^(not|!)$/i)) return opposite(this.#one())
    if (this.#take(/^\($/)) return this.#closed(this.either())
    const call = /^(startswith|endswith|contains|substringof)$/i.exec(this.#peek(0))?.[1]
    if (call !== undefined && this.#peek(1) === '(') return this.#call(call.toLowerCase())
    const place = this.#place()
    if (!place) return undefined
    const is = operatorOf(this.#next()?.text ?? '')
    const wanted = is === 'exists' || is === 'missing' ? [] : is && this.#values()

    return is && wanted ? [comparison(place, is, wanted)] : undefined
  }

  #call(name: string): Checks | undefined {
    this.#at += 2
    const isSwapped = name === 'substringof'
    const first = isSwapped ? this.#values() : undefined
    if (isSwapped && !this.#take(/^,$/)) return undefined
    const place = this.#place()
    const wanted = isSwapped ? first : this.#take(/^,$/) && this.#values()
    const is = isSwapped ? 'contains' : operatorOf(name)
    const found = place && wanted && is ? [comparison(place, is, wanted)] : undefined
    const closed = this.#closed(found)
    // OData may compare the result.
    if (/^eq$/i.test(this.#peek(0)) && this.#peek(1) === 'true') this.#at += 2

    return closed
  }

  /** A value, or several in brackets. */
  #values(): readonly unknown[] | undefined {
    const open = this.#take(/^[([]$/)
    const values: unknown[] = []
    do {
      const token = this.#next()
      if (!token || token.kind === 'sign') return undefined
      values.push(token.kind === 'quoted' ? token.text : plainValue(token.text))
    } while (open && this.#take(/^,$/))
    return !open || this.#take(/^[)\]]$/) ? values : undefined
  }

  /** The place of a property, which may be in `tolower(…)`. */
  #place(): Place | undefined {
    if (/^to(lower|upper)$/i.test(this.#peek(0)) && this.#peek(1) === '(') {
      this.#at += 2
      return this.#closed(this.#place())
    }
    const token = this.#next()
    return token?.kind === 'word' ? placeIn(this.#schema, token.text.split(/[./]/)) : undefined
  }

  #closed<Read>(read: Read | undefined): Read | undefined {
    return this.#take(/^\)$/) ? read : undefined
  }

  #peek(ahead: number): string {
    return this.#tokens[this.#at + ahead]?.text ?? ''
  }

  #next(): Token | undefined {
    this.#at += 1
    return this.#tokens[this.#at - 1]
  }

  /** Whether the next token is one of these signs or words, which is then read. */
  #take(sign: RegExp): boolean {
    const token = this.#tokens[this.#at]
    const isNext = token !== undefined && token.kind !== 'quoted' && sign.test(token.text)
    if (isNext) this.#at += 1

    return isNext
  }
}

/** A property of a record, or of an object in it. */
interface Place {
  readonly names: readonly string[]
  readonly schema: Schema
}

/** The place that a path names, in the record or in the only object of it that has it. */
function placeIn(record: Schema, path: readonly string[]): Place | undefined {
  const own = placeAt(record, path)
  if (own) return own
  const inner = [...propertiesOf(record).keys()].flatMap(
    (name) => placeAt(record, [name, ...path]) ?? [],
  )
  return inner.length === 1 ? inner[0] : undefined
}

function placeAt(record: Schema, path: readonly string[]): Place | undefined {
  let place: Place | undefined = { names: [], schema: record }
  for (const name of path) {
    const own: readonly (readonly [string, Schema])[] = [
      ...propertiesOf(itemsOf(place.schema) ?? place.schema),
    ]
    const [known, schema] =
      own.find(([one]) => one === name) ??
      own.find(([one]) => plainName(one) === plainName(name)) ??
      []
    if (known === undefined || !schema) return undefined
    place = { names: [...place.names, known], schema }
  }
  return place
}

function plainValue(text: string): unknown {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return /^(null|nil)$/i.test(text) ? null : text
}

function operatorOf(name: string): Operator | undefined {
  const text = name.toLowerCase()
  return getOwn(OPERATORS, /\w/.test(text) ? plainName(text) : text)
}

function comparison(
  { names, schema }: Place,
  is: Operator,
  values: readonly unknown[],
): RecordTest {
  const places = [names]
  if (is === 'exists' || is === 'missing')
    return { places, is: 'exists', wanted: [is === 'exists'] }
  if (values.includes(null)) return { places, is: 'exists', wanted: [is === 'not' || is === 'out'] }
  const wanted = values.map((one) => typedValue(one, itemsOf(schema) ?? schema))
  const pattern = is === 'equal' && wanted.length === 1 ? String(wanted[0]) : ''
  // A star at the end stands for any text.
  if (/^[^*]+\*$/.test(pattern)) return { places, is: 'starts', wanted: [pattern.slice(0, -1)] }
  const single = is === 'in' ? 'equal' : is

  return { places, is: single === 'out' ? 'not' : single, wanted }
}

const OPPOSITES: Readonly<Partial<Record<Comparison, Comparison>>> = {
  ...{ equal: 'not', not: 'equal' },
  ...{ after: 'to', to: 'after', from: 'before', before: 'from' },
}

/** What holds where one comparison does not. */
function opposite(checks: Checks | undefined): Checks | undefined {
  const [only, ...others] = checks ?? []
  if (!only || others.length > 0 || 'either' in only) return undefined
  if (only.is === 'exists') return [{ ...only, wanted: only.wanted.map((flag) => !flag) }]
  const is = OPPOSITES[only.is]

  return is && [{ ...only, is }]
}
