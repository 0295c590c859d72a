import type { Schema } from '../../contract/contract.ts'
import type { Exchange } from '../../journal/exchange.ts'
import { isObject } from '../../validation/objects.ts'
import { decodePart } from '../route.ts'
import { limitsOf, typeText, viewOf } from '../schema-view.ts'
import type { OperationDetails } from './operation.ts'

/** A refused request while it is corrected. */
export interface FixDraft {
  readonly method: string
  /** The path below the base address, with the query. */
  readonly target: string
  /** The corrected headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Empty: without a key. */
  readonly key: string
}

/** A value of a refused request that is wrong. */
export interface WrongValue {
  /** Such as `query.limit` or `body.tags[0]`; `method`, `address` or `key` for what no parameter has. */
  readonly location: string
  /** What the value is now. JSON in a body that is JSON, but for texts. */
  readonly text: string
  /** The values that the document lists; empty when it does not list them. */
  readonly choices: readonly string[]
  /** What the document allows, such as `integer, 1 to 100`. */
  readonly allowed: string
}

/** What the document says about the operation of the request; absent when none matches it. */
type Details = Pick<OperationDetails, 'path' | 'parameters' | 'body'> | undefined

/** A refused request, with the headers of its response. */
type Refused = Pick<Exchange, 'refusal' | 'status'> & {
  readonly response?: Pick<Exchange['response'], 'headers'>
}

/** The wrong values of a refused request, as they are in the draft. */
export function wrongValues(
  exchange: Refused,
  details: Details,
  draft: FixDraft,
): readonly WrongValue[] {
  const locations = [...new Set(locationsOf(exchange, details))]
  return locations.map((location) => {
    const schema = location === 'method' ? methodSchema(exchange) : schemaAt(location, details)
    const choices = (enumOf(schema) ?? []).map(toText)
    const isShort = choices.length > 0 && choices.length <= MAX_LISTED
    return {
      location,
      text: readValue(location, details, draft),
      choices,
      allowed: isShort ? choices.join(', ') : describeAllowed(schema),
    }
  })
}

/** So many choices are also named beside the value. */
const MAX_LISTED = 12

/** The methods that the response allows. */
function methodSchema({ response }: Refused): Schema {
  const allow = response?.headers.find(([name]) => name.toLowerCase() === 'allow')?.[1] ?? ''
  const methods = allow.split(',').map((method) => method.trim())
  return { type: 'string', enum: methods.filter((method) => method !== '') }
}

/** Where a request is wrong by its status alone. */
const WRONG_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'key',
  405: 'method',
  413: 'body',
  415: 'header.Content-Type',
}

/** Where a request is wrong. A record that was not found is named by the last parameter of the path. */
function locationsOf({ refusal, status }: Refused, details: Details): readonly string[] {
  const byStatus = WRONG_BY_STATUS[status]
  if (byStatus !== undefined) return [byStatus]
  const { errors = [], conflict } = refusal ?? {}
  const named = [...errors.map(({ location }) => location), conflict ?? ''].filter((location) =>
    /^(?:path|query|header|body)\b/.test(location),
  )
  if (named.length > 0) return named
  // Another conflict is between all that is sent and what is there.
  if (status === 409 && details?.body) return ['body']
  const last = details?.parameters.filter((one) => one.in === 'path').at(-1)
  if (status !== 404) return []

  return [last ? `path.${last.name}` : 'address']
}

/** The draft with another text for the value at the location. */
export function writeValue(
  draft: FixDraft,
  location: string,
  text: string,
  details: Details,
): FixDraft {
  const [place, path] = readLocation(location)
  const [name = ''] = path
  switch (place) {
    case 'path':
      return { ...draft, target: withPathValue(draft.target, String(name), text, details) }
    case 'query':
      return { ...draft, target: withQueryValue(draft.target, path, text) }
    case 'method':
      return { ...draft, method: text }
    case 'header':
      return { ...draft, headers: { ...draft.headers, [path.join('.').toLowerCase()]: text } }
    default:
      return path.length === 0
        ? { ...draft, body: text }
        : { ...draft, body: withBodyValue(draft.body, path, text, schemaAt(location, details)) }
  }
}

function readValue(location: string, details: Details, draft: FixDraft): string {
  const [place, path] = readLocation(location)
  switch (place) {
    case 'path':
      return pathValues(draft.target, details)[String(path[0] ?? '')] ?? ''
    case 'query':
      return queryValues(draft.target, path).at ?? ''
    case 'method':
      return draft.method
    case 'key':
    case 'address':
      return ''
    case 'header':
      return draft.headers[path.join('.').toLowerCase()] ?? ''
    default: {
      if (path.length === 0) return draft.body
      const value = path.reduce(memberOf, readJson(draft.body))
      return value === undefined ? '' : toText(value)
    }
  }
}

type Step = number | string

/** `body.tags[0]` as `['body', ['tags', 0]]`. */
function readLocation(location: string): readonly [place: string, path: readonly Step[]] {
  const steps = [...location.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  )
  return [String(steps[0] ?? ''), steps.slice(1)]
}

function memberOf(value: unknown, step: Step): unknown {
  if (Array.isArray(value)) return value[Number(step)]
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(target.split('?').slice(1).join('?'))
}

interface QueryValues {
  /** As the address has it, such as `filter[state]`. */
  readonly name: string
  /** All values of the parameter: those that it is sent with, or those in a list with commas. */
  readonly all: readonly string[]
  readonly isList: boolean
  /** The place of the value that is meant. */
  readonly index: number
  readonly at: string | undefined
}

/** The values of a query parameter, of which a location names one: `status[1]` is the second one of `status=open&status=closed`. */
function queryValues(target: string, path: readonly Step[]): QueryValues {
  const query = queryOf(target)
  const [first = '', step] = path
  const index = typeof step === 'number' ? step : 0
  const names = [path.join('.'), `${first}[${step}]`, String(first)]
  const name = names.find((one) => query.has(one)) ?? path.join('.')
  const sent = query.getAll(name)
  const isList = typeof step === 'number' && sent.length === 1 && name === first
  const all = isList ? (sent[0] ?? '').split(',') : sent

  return { name, all, isList, index, at: all[index] }
}

/** One of several values of a parameter is replaced in its place. A value that is empty is not sent. */
function withQueryValue(target: string, at: readonly Step[], text: string): string {
  const query = queryOf(target)
  const { name, all, isList, index } = queryValues(target, at)
  const isOne = typeof at[1] !== 'number'
  const changed = isOne ? [text] : all.map((one, place) => (place === index ? text : one))
  const values = changed.filter((one) => one !== '')
  const sent = isList ? [values.join(',')].filter(Boolean) : values
  const pairs = new URLSearchParams()
  for (const [one, value] of query) {
    const next = one === name ? sent.shift() : value
    if (next !== undefined) pairs.append(one, next)
  }
  for (const one of sent) pairs.append(name, one)
  const [path = ''] = target.split('?')
  const search = String(pairs)

  return search ? `${path}?${search}` : path
}

/** The places of the parameters of a path, by their segments. */
function segmentsOf(details: Details): readonly string[] {
  return (details?.path.split('?')[0] ?? '').split('/')
}

function pathValues(target: string, details: Details): Readonly<Record<string, string>> {
  const segments = (target.split('?')[0] ?? '').split('/')
  const values = segmentsOf(details).flatMap((segment, at) => {
    const [, name] = /^\{(.+)\}$/.exec(segment) ?? []
    return name === undefined ? [] : [[name, decodePart(segments[at] ?? '')] as const]
  })
  return Object.fromEntries(values)
}

function withPathValue(target: string, name: string, text: string, details: Details): string {
  const [path = '', ...query] = target.split('?')
  const template = segmentsOf(details)
  const segments = path
    .split('/')
    .map((segment, at) => (template[at] === `{${name}}` ? encodeURIComponent(text) : segment))

  return [segments.join('/'), ...query].join('?')
}

/** A text that is no JSON of the type that the schema has stays a text. An empty text removes the property. */
function withBodyValue(
  body: string,
  path: readonly Step[],
  text: string,
  schema: Schema | undefined,
): string {
  const changed = withMember(readJson(body) ?? {}, path, toValue(text, schema))
  return JSON.stringify(changed, null, 2)
}

function withMember(value: unknown, path: readonly Step[], member: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return member
  const changed = withMember(memberOf(value, step), rest, member)
  if (Array.isArray(value)) return value.map((one, at) => (at === step ? changed : one))
  const { [String(step)]: _, ...others } = isObject(value) ? value : {}
  return changed === undefined ? others : { ...(isObject(value) ? value : {}), [step]: changed }
}

function toValue(text: string, schema: Schema | undefined): unknown {
  if (text === '') return undefined
  const listed = enumOf(schema)?.find((one) => toText(one) === text)
  if (listed !== undefined) return listed
  if ([schema?.type].flat().includes('string')) return text
  const value = readJson(text)
  return value === undefined ? text : value
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The schema of the value at a location; `undefined` when the document has none. */
function schemaAt(location: string, details: Details): Schema | undefined {
  const [place, path] = readLocation(location)
  if (location === 'header.Content-Type')
    return { type: 'string', enum: details?.body?.contentTypes ?? [] }
  if (place === 'body')
    return path.reduce<Schema | undefined>(schemaOfMember, details?.body?.schema)
  const isSame = (name: string): boolean =>
    place === 'header'
      ? name.toLowerCase() === path.join('.').toLowerCase()
      : name === path.join('.')

  const own = details?.parameters.find((one) => one.in === place && isSame(one.name))
  const [first, ...steps] = path
  const whole = details?.parameters.find((one) => one.in === place && one.name === first)

  return own?.schema ?? steps.reduce<Schema | undefined>(schemaOfMember, whole?.schema)
}

function schemaOfMember(schema: Schema | undefined, step: Step): Schema | undefined {
  if (!schema) return undefined
  const own = typeof step === 'number' ? schema.items : schema.properties?.[step]
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((branches) => branches ?? [])

  return own ?? parts.map((part) => schemaOfMember(part, step)).find((found) => found !== undefined)
}

function enumOf(schema: Schema | undefined): readonly unknown[] | undefined {
  if (schema?.const !== undefined) return [schema.const]
  return schema?.enum ?? (schema?.allOf ?? []).map(enumOf).find((values) => values !== undefined)
}

/** What a schema allows, such as `integer, ≥ 1, ≤ 100`. */
function describeAllowed(schema: Schema | undefined): string {
  if (!schema) return ''
  const { format } = schema
  const type = typeText(viewOf(schema, {}), {})
  const isNamed = format === undefined || type.includes(format)

  return [type, isNamed ? '' : format, ...limitsOf(schema)].filter(Boolean).join(', ')
}
