import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { Schema } from '../../contract/contract.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { OUTCOMES } from '../../forcing/outcomes.ts'
import { encodePart } from '../../http/paths.ts'
import { headerText, pathText, queryPairs } from '../../requests/serialize-parameter.ts'
import { isObject } from '../../validation/objects.ts'
import { ANY_KEY, type ApiRequest, loadKeys, type Pair } from '../api-request.ts'
import { messageOf, worldPrefix } from '../page.ts'
import type { Choice } from '../parts/field.tsx'
import { decodePart } from '../route.ts'
import { type NamedSchemas, viewOf } from '../schema-view.ts'
import {
  documentedParameter,
  type FormDetails,
  type OperationDetails,
  type ParameterDetails,
  type SampleRequest,
  schemasOf,
} from './operation.ts'
import { type BodyForm, type BodyOptions, bodyOf, readBody, sendable } from './request-body.ts'

/** The places of the parameters that a form has. */
export type Place = 'path' | 'query' | 'header'

/** A parameter in a form. */
export interface ParameterEntry {
  readonly in: Place
  readonly name: string
  readonly required: boolean
  /** Not sent when it is `undefined`. */
  readonly value: unknown
  readonly schema: Schema
  readonly description: string
  /** How the value is written. */
  readonly style: Omit<ParameterDetails, 'schema' | 'example'>
}

/** What is typed for a request. */
export interface RequestForm {
  /** The path before that of the operation: the world and the base path. */
  readonly prefix: string
  readonly parameters: readonly ParameterEntry[]
  /** Absent for an operation without a body. */
  readonly body?: BodyForm
  /** Empty: without a key. */
  readonly key: string
  /** The `Prefer` header; empty for none. */
  readonly prefer: string
}

const PARAMETER = /\{([^{}/]+)\}/

/** The form for an operation, with the values of a valid request. */
export function toForm(
  details: FormDetails,
  sample: SampleRequest,
  key: string,
  body: BodyForm | undefined = undefined,
): RequestForm {
  const { prefix, values } = readPath(withoutQuery(details.path), sample.path)
  return {
    prefix,
    parameters: [
      ...entriesOf(details, 'path', values),
      ...entriesOf(details, 'query', sample.query),
      ...entriesOf(details, 'header', sample.headers),
    ],
    ...(body && { body }),
    key,
    prefer: '',
  }
}

/** The names of the path parameters without a value. Without them, the request would be one for another path. */
export function emptyPathNames({ parameters }: Pick<RequestForm, 'parameters'>): readonly string[] {
  return parameters
    .filter((one) => one.in === 'path' && (one.value === undefined || one.value === ''))
    .map(({ name }) => name)
}

/** The parts of the request of a form, below the base path and without credentials. */
export function inputOf(
  { path }: Pick<FormDetails, 'path'>,
  { parameters }: Pick<RequestForm, 'parameters'>,
): { readonly path: string; readonly query: readonly Pair[]; readonly headers: readonly Pair[] } {
  const sent = parameters.filter(({ value, required }) => required || value !== undefined)
  const texts = new Map(
    sent
      .filter((one) => one.in === 'path')
      .map(({ name, style, value = '' }) => [name, pathText(style, value)]),
  )
  const filled = withoutQuery(path)
    .split(PARAMETER)
    .map((part, at) => (at % 2 === 1 ? (texts.get(part) ?? '') : encodeLiteral(part)))

  return {
    path: filled.join(''),
    query: sent
      .filter((one) => one.in === 'query')
      .flatMap(({ style, value = '' }) => queryPairs(style, value)),
    headers: sent
      .filter((one) => one.in === 'header')
      .map(({ name, style, value = '' }) => [name, headerText(style, value)]),
  }
}

/** The request of a form. `site` is the address of the server. */
export function toRequest(
  details: FormDetails,
  form: RequestForm,
  {
    site,
    credentials,
    options,
  }: {
    readonly site: string
    readonly credentials: readonly Credential[]
    readonly options?: BodyOptions | undefined
  },
): ApiRequest {
  const { prefix, body, key, prefer } = form
  const { path, query: own, headers } = inputOf(details, form)
  const encoded = credentialPairs(credentials, 'query', key).map((pair) => pair.map(encodePart))
  const query = [...own, ...encoded].map((pair) => pair.join('=')).join('&')
  const content = body && options && sendable(body, options)

  return {
    url: `${site}${prefix}${path}${query && `?${query}`}`,
    method: details.method,
    headers: [
      ...headers,
      ...credentialPairs(credentials, 'header', key),
      ...(content ? [['Content-Type', content.type] as const] : []),
      ...(prefer === '' ? [] : [['Prefer', prefer] as const]),
    ],
    ...(content?.text && { body: content.text }),
    ...(content?.file && { file: content.file }),
    ...(content?.parts && { parts: content.parts }),
  }
}

function credentialPairs(
  credentials: readonly Credential[],
  place: 'query' | 'header',
  key: string,
): readonly Pair[] {
  if (key === '') return []
  return credentials
    .filter((one) => one.in === place)
    .map((one): Pair => [one.name, credentialText(one, key)])
}

/** OpenAPI ignores parameters with these names (Parameter Object, "in: header"): the body and the credentials decide them. */
const IGNORED = /^(accept|content-type|authorization)$/i

/** An entry for each documented parameter, and one for each pair that belongs to none. */
function entriesOf(
  details: FormDetails,
  place: Place,
  pairs: readonly Pair[],
): readonly ParameterEntry[] {
  const documented = details.parameters.filter(
    (one) => one.in === place && !(place === 'header' && IGNORED.test(one.name)),
  )
  const isOf = (name: string, [given]: Pair): boolean =>
    place === 'header'
      ? given.toLowerCase() === name.toLowerCase()
      : given === name || given.startsWith(`${name}[`)
  const entries = documented.map((one): ParameterEntry => {
    const { schema: _plain, example: _example, ...style } = one
    const described = documentedParameter(details, one)
    const schema = described?.schema ?? one.schema
    const own = pairs.filter((pair) => isOf(one.name, pair))
    const { description = schema.description } = described ?? {}
    const value = own.length === 0 ? undefined : readValue(style, schema, own, schemasOf(details))

    return {
      in: place,
      name: one.name,
      required: one.required,
      value: value ?? (one.required ? '' : undefined),
      schema,
      description: typeof description === 'string' ? description : '',
      style,
    }
  })
  const further = pairs.filter((pair) => !documented.some(({ name }) => isOf(name, pair)))

  return [
    ...entries,
    ...further.map(([name, value]): ParameterEntry => {
      const style = { name, in: place, required: false }
      return { ...style, value, schema: { type: 'string' }, description: '', style }
    }),
  ]
}

const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' }

/** The value of a parameter that is written as these pairs. */
function readValue(
  style: ParameterEntry['style'],
  given: Schema,
  pairs: readonly Pair[],
  schemas: NamedSchemas,
): unknown {
  const { in: place, mediaType, explode = place === 'query', style: name = '' } = style
  const { schema, types } = viewOf(given, schemas)
  const texts = pairs.map(([, text]) => text)
  const [first = ''] = texts
  if (mediaType !== undefined) return parseOr(first, first)
  if (name === 'deepObject') return readDeep(style.name, pairs)
  const all = texts.length > 1 || explode ? texts : first.split(DELIMITERS[name] ?? ',')
  if (types.includes('array')) {
    return all.map((text) => readScalar(text, schema.items ?? {}, schemas))
  }
  if (!types.includes('object')) return readScalar(first, given, schemas)
  const members = explode ? all.flatMap((text) => text.split('=')) : all
  return Object.fromEntries(
    members.flatMap((key, at) => (at % 2 === 0 ? [[key, members[at + 1] ?? '']] : [])),
  )
}

/** `filter[a][b]=1` as an object. */
function readDeep(name: string, pairs: readonly Pair[]): unknown {
  const root: Record<string, unknown> = {}
  for (const [given, text] of pairs) {
    const keys = [...given.slice(name.length).matchAll(/\[([^\]]*)\]/g)].map(([, key = '']) => key)
    const last = keys.pop()
    let at = root
    for (const key of keys) {
      const inner = Object.hasOwn(at, key) && isObject(at[key]) ? { ...at[key] } : {}
      Object.defineProperty(at, key, { value: inner, enumerable: true, writable: true })
      at = inner
    }
    if (last !== undefined) Object.defineProperty(at, last, { value: text, enumerable: true })
  }
  return root
}

/** A text as a number or a truth value, where the schema has one. */
function readScalar(text: string, schema: Schema, schemas: NamedSchemas): unknown {
  const { types } = viewOf(schema, schemas)
  const isNumber = types.some((type) => type === 'integer' || type === 'number')
  // Other spellings are sent as they are typed.
  if (isNumber && String(Number(text)) === text) return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function parseOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

/** The values in a path that ends as the template. */
function readPath(
  template: string,
  path: string,
): { readonly prefix: string; readonly values: readonly Pair[] } {
  const parts = template.split(PARAMETER)
  const names = parts.filter((_, at) => at % 2 === 1)
  const pattern = parts.map((part, at) =>
    at % 2 === 1 ? '([^/]*?)' : escapePattern(encodeLiteral(part)),
  )
  const [whole, ...values] = new RegExp(`${pattern.join('')}$`).exec(path) ?? []
  if (whole === undefined) return { prefix: '', values: [] }

  return {
    prefix: path.slice(0, path.length - whole.length),
    values: names.map((name, at): Pair => {
      const value = decodePart(values[at] ?? '')
      // Without a valid request, the path is the template.
      return [name, value === `{${name}}` ? '' : value]
    }),
  }
}

/** Some documents have parameters of the query in their paths. They are in the query of the sample. */
function withoutQuery(path: string): string {
  return path.split('?')[0] ?? ''
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** How many operations keep what was typed. */
const MAX_DRAFTS = 50

/** What was typed in forms, by their places. It lasts as long as the page. */
const drafts = new Map<string, RequestForm>()

/** Keeps what was typed; without a form, forgets it. */
export function keepDraft(place: string, form: RequestForm | undefined): void {
  drafts.delete(place)
  if (form) drafts.set(place, form)
  const [oldest] = drafts.keys()
  if (oldest !== undefined && drafts.size > MAX_DRAFTS) drafts.delete(oldest)
}

export function draftOf(place: string): RequestForm | undefined {
  return drafts.get(place)
}

/** How many tokens of a world are suggested. */
const MAX_TOKENS = 5

/** The tokens that were issued on this page, by their worlds. Nobody can read them again afterwards. */
const issued = new Map<string, readonly Choice[]>()

/** Keeps a token, which the request forms of its world suggest as their key, under a name such as that of its user. */
export function keepToken(world: string, token: string, name: string): void {
  const choice = { value: token, label: `access token of ${name}` }
  issued.set(world, [choice, ...issuedTokens(world)].slice(0, MAX_TOKENS))
}

/** The tokens that were issued on this page, the latest first. */
export function issuedTokens(world: string): readonly Choice[] {
  return issued.get(world) ?? []
}

/** The first values of a form, and what it offers. */
export interface LoadedForm {
  readonly form: RequestForm
  readonly credentials: readonly Credential[]
  /** What the body can be; absent for an operation without one. */
  readonly options?: BodyOptions | undefined
  /** The configured keys. */
  readonly keys: readonly string[]
  /** Why there are no values: the message of the sandbox. */
  readonly problem?: string
}

/** Loads a valid request for an operation. Without one, the form is empty. */
export async function loadForm(
  client: SandboxClient,
  details: OperationDetails,
): Promise<LoadedForm> {
  const { keys, newKey: key, basePath } = await loadKeys(client)
  const options = bodyOf(details)
  try {
    // Where no key works yet, a sample with some key tells where it belongs.
    const shown = key || ANY_KEY
    const given = await client.sampleRequest(details.operation, { key: shown })
    const { sample, credentials } = takeCredentials(given, shown)
    const body = options && (await readBody(sample, options))
    const form = toForm(details, sample, credentials.length > 0 ? key : '', body)
    return { keys, credentials, form, options }
  } catch (error) {
    const { method, path } = details
    const empty = {
      method,
      path: worldPrefix(client) + basePath + encodeLiteral(path),
      query: [],
      headers: [],
    }
    const body = options && (await readBody(empty, options))
    const form = toForm(details, empty, '', body)
    return { keys, credentials: [], form, options, problem: messageOf(error) }
  }
}

/** A place of a request that contains the key. */
interface Credential {
  readonly in: 'header' | 'query'
  readonly name: string
  /** The text with the key of the sample. */
  readonly text: string
  /** The key in the text. */
  readonly key: string
}

/** A sample request, with its credentials apart from the rest. */
interface TakenApart {
  readonly sample: SampleRequest
  readonly credentials: readonly Credential[]
}

const BASIC = /^Basic (\S+)$/

/** Takes the places that contain `key` out of a request. */
export function takeCredentials(sample: SampleRequest, key: string): TakenApart {
  const find =
    (place: Credential['in']) =>
    ([name, value]: Pair): Credential[] =>
      decode(value).includes(key) ? [{ in: place, name, text: value, key }] : []
  const credentials = [
    ...sample.headers.flatMap(find('header')),
    ...sample.query.flatMap(find('query')),
  ]
  const without = (pairs: readonly Pair[], place: Credential['in']): readonly Pair[] =>
    pairs.filter((pair) => find(place)(pair).length === 0)

  return {
    sample: {
      ...sample,
      headers: without(sample.headers, 'header'),
      query: without(sample.query, 'query'),
    },
    credentials,
  }
}

/** The text of a credential with another key. */
export function credentialText({ text, key }: Credential, other: string): string {
  const replaced = decode(text).replaceAll(key, () => other)
  return BASIC.test(text) ? `Basic ${encodeBase64(replaced)}` : replaced
}

/** User name and password of basic authentication; any other text as it is. */
function decode(text: string): string {
  const [, encoded = ''] = BASIC.exec(text) ?? []
  if (encoded === '') return text
  try {
    return atob(encoded)
  } catch {
    return text
  }
}

/** The texts may have characters that `btoa` refuses. */
function encodeBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)))
}

type ResponseDetails = OperationDetails['responses'][number]

/** The preferences that a request can have: none, each documented status with its named examples, and each outcome. */
export function preferChoices({
  responses,
}: Pick<OperationDetails, 'responses'>): readonly Choice[] {
  const statuses = [...new Set(responses.map(({ status }) => status))]

  return [
    { value: '', label: 'No preference' },
    ...statuses.flatMap((status) => [
      { value: `code=${status}` },
      ...responses.filter((one) => one.status === status).flatMap(exampleChoices),
    ]),
    ...OUTCOMES.map((outcome) => ({ value: `outcome=${outcome}` })),
    { value: 'handling=strict' },
    { value: 'handling=lenient' },
  ]
}

/** The examples of a response. A header can carry names in ASCII only. */
function exampleChoices({ status, examples }: ResponseDetails): readonly Choice[] {
  return examples
    .filter((name) => /^[\x20-\x7e]+$/.test(name))
    .map((name) => ({
      value: `code=${status}, example=${JSON.stringify(name)}`,
      label: `code=${status}, example ${name}`,
    }))
}
