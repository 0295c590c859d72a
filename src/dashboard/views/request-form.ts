import type { SandboxClient } from '../../client/sandbox-client.ts'
import { OUTCOMES } from '../../forcing/outcomes.ts'
import { encodePart } from '../../http/paths.ts'
import type { ApiRequest, Pair } from '../api-request.ts'
import { messageOf, worldPrefix } from '../page.ts'
import type { Choice } from '../parts/field.tsx'
import { decodePart, fillPath } from '../route.ts'

/** An operation, with how it is answered and why. */
export type OperationSummary = Awaited<ReturnType<SandboxClient['operations']>>[number]

/** An operation with what a form for its requests needs. */
export type OperationDetails = Awaited<ReturnType<SandboxClient['operation']>>

/** A valid request for an operation. */
export type SampleRequest = Awaited<ReturnType<SandboxClient['sampleRequest']>>

/** A parameter in a form. A parameter with several values has one entry for each. */
export interface ParameterEntry {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  /** An optional parameter with an empty text is not sent. */
  readonly text: string
  readonly required: boolean
  /** The values that the document lists. */
  readonly choices: readonly string[]
  readonly hint: string
}

/** What is typed for a request. */
export interface RequestForm {
  /** The path before that of the operation: the world and the base path. */
  readonly prefix: string
  readonly parameters: readonly ParameterEntry[]
  readonly body: string
  readonly contentType: string
  /** Empty: without a key. */
  readonly key: string
  /** The `Prefer` header; empty for none. */
  readonly prefer: string
}

type Details = Pick<OperationDetails, 'method' | 'path' | 'parameters' | 'body'>

const PARAMETER = /\{([^{}/]+)\}/

/** The form for an operation, with the values of a valid request. */
export function toForm(details: Details, sample: SampleRequest, key: string): RequestForm {
  const { prefix, values } = readPath(withoutQuery(details.path), sample.path)
  return {
    prefix,
    parameters: [
      ...entriesOf(details, 'path', values),
      ...entriesOf(details, 'query', sample.query),
      ...entriesOf(details, 'header', sample.headers),
    ],
    body: readable(sample.body ?? ''),
    contentType: sample.contentType ?? details.body?.contentTypes[0] ?? '',
    key,
    prefer: '',
  }
}

/** The request of a form. `site` is the address of the server. */
export function toRequest(
  details: Details,
  form: RequestForm,
  { site, credentials }: { readonly site: string; readonly credentials: readonly Credential[] },
): ApiRequest {
  const { prefix, parameters, body, contentType, key, prefer } = form
  const sent = parameters.filter(({ text, required }) => required || text !== '')
  const pairs = (place: 'query' | 'header'): readonly Pair[] => [
    ...sent.filter((one) => one.in === place).map(({ name, text }): Pair => [name, text]),
    ...credentialPairs(credentials, place, key),
  ]
  const query = pairs('query')
    .map((pair) => pair.map(encodePart).join('='))
    .join('&')
  const inPath = sent.filter((one) => one.in === 'path').map(({ name, text }) => [name, text])
  const path = fillPath(withoutQuery(details.path), Object.fromEntries(inPath))
  const hasBody = body !== '' && details.body !== undefined

  return {
    url: `${site}${prefix}${path}${query && `?${query}`}`,
    method: details.method,
    headers: [
      ...pairs('header'),
      ...(hasBody && contentType !== '' ? [['Content-Type', contentType] as const] : []),
      ...(prefer === '' ? [] : [['Prefer', prefer] as const]),
    ],
    ...(hasBody && { body: withLineBreaks(body, contentType) }),
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

/** An entry for each value of the sample, and an empty one for each parameter without a value. */
function entriesOf(
  { parameters }: Details,
  place: ParameterEntry['in'],
  pairs: readonly Pair[],
): readonly ParameterEntry[] {
  const documented = parameters.filter((one) => one.in === place)
  const isOf = (name: string, [given]: Pair): boolean =>
    place === 'header'
      ? given.toLowerCase() === name.toLowerCase()
      : given === name || given.startsWith(`${name}[`)
  const entries = documented.flatMap(({ name, required, schema }): readonly ParameterEntry[] => {
    const own = pairs.filter((pair) => isOf(name, pair))
    const values = own.length > 0 ? own : [[name, ''] as const]
    const description = typeof schema.description === 'string' ? schema.description : ''
    const choices = (schema.enum ?? []).map(String)
    const hint = description || [schema.type, schema.format].flat().filter(Boolean).join(', ')
    return values.map(([given, text]) => ({
      in: place,
      name: given,
      text,
      required,
      choices,
      hint,
    }))
  })
  const further = pairs.filter((pair) => !documented.some(({ name }) => isOf(name, pair)))

  return [
    ...entries,
    ...further.map(([name, text]): ParameterEntry => {
      return { in: place, name, text, required: false, choices: [], hint: '' }
    }),
  ]
}

/** The values in a path that ends as the template. */
function readPath(
  template: string,
  path: string,
): { readonly prefix: string; readonly values: readonly Pair[] } {
  const parts = template.split(PARAMETER)
  const names = parts.filter((_, at) => at % 2 === 1)
  const pattern = parts.map((part, at) => (at % 2 === 1 ? '([^/]*?)' : escapePattern(part)))
  const [whole, ...values] = new RegExp(`${pattern.join('')}$`).exec(path) ?? []
  if (whole === undefined) return { prefix: '', values: [] }

  return {
    prefix: path.slice(0, path.length - whole.length),
    values: names.map((name, at): Pair => [name, decodePart(values[at] ?? '')]),
  }
}

/** JSON in lines. Other texts stay, and so do numbers that JavaScript would alter. */
function readable(text: string): string {
  if (!/^\s*[[{]/.test(text) || /\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Some documents have parameters of the query in their paths. They are in the query of the sample. */
function withoutQuery(path: string): string {
  return path.split('?')[0] ?? ''
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A text field has no carriage returns, which the parts of a multipart body need (RFC 2046, section 4.1.1). */
function withLineBreaks(body: string, contentType: string): string {
  return contentType.startsWith('multipart/') ? body.replace(/\r?\n/g, '\r\n') : body
}

/** The first values of a form, and what it offers. */
export interface LoadedForm {
  readonly form: RequestForm
  readonly credentials: readonly Credential[]
  /** The configured keys. */
  readonly keys: readonly string[]
  /** Why there are no values: the message of the sandbox. */
  readonly problem?: string
}

/** What a sandbox without keys is sent, as it accepts any credential. */
const ANY_KEY = 'sk_sandbox'

/** Loads a valid request for an operation. Without one, the form is empty. */
export async function loadForm(
  client: SandboxClient,
  details: OperationDetails,
): Promise<LoadedForm> {
  const all = await client.keys()
  const keys = all.map(({ key }) => key)
  const key = all.find(({ always }) => always === undefined)?.key ?? ANY_KEY
  try {
    const given = await client.sampleRequest(details.operation, { key })
    const { sample, credentials } = takeCredentials(given, key)
    return { keys, credentials, form: toForm(details, sample, credentials.length > 0 ? key : '') }
  } catch (error) {
    const { basePath } = await client.health()
    const { method, path } = details
    const empty = { method, path: worldPrefix(client) + basePath + path, query: [], headers: [] }
    return { keys, credentials: [], form: toForm(details, empty, ''), problem: messageOf(error) }
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
