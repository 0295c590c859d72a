import type { Contract, Operation, Parameter } from '../../contract/contract.ts'
import { NO_CREDENTIALS, preferredCredentialOf } from '../../contract/credentials.ts'
import { isJson } from '../../contract/is-json.ts'
import { encodeLiteral, parseTemplate } from '../../contract/path-pattern.ts'
import { encodePart } from '../../http/paths.ts'
import type { PathValues } from '../../resources/collection-name.ts'
import { bodyText, parameterTexts, type Sampler } from './parameter-texts.ts'
import type { SampleRequest } from './sample-request.ts'

/** What requests are built from, besides their operation. */
export interface RequestContext {
  readonly contract: Contract
  /** The origin of the server, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  /** The credential to send; `undefined` for none. */
  readonly key: string | undefined
  readonly sampler: () => Promise<Sampler>
  /** The id of an existing record, for the path parameter that contains one. */
  readonly recordId: (
    operation: Operation,
    parameter: string,
    known: PathValues,
  ) => Promise<string | undefined>
}

/** The texts of each required parameter, by its name. */
type Texts = ReadonlyMap<string, readonly string[]>

/** Headers that OpenAPI does not let documents declare as parameters. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/** A request for an operation, with all that it requires; `undefined` when no valid value for something is found. */
export async function buildRequest(
  operation: Operation,
  context: RequestContext,
): Promise<SampleRequest | undefined> {
  const { contract, origin, key } = context
  const path = await requiredTexts(operation, 'path', context)
  const query = await requiredTexts(operation, 'query', context)
  const header = await requiredTexts(operation, 'header', context)
  const cookie = await requiredTexts(operation, 'cookie', context)
  const body = await bodyOf(operation, context)
  if (!path || !query || !header || !cookie || body === 'unknown') return undefined

  const credentials =
    key === undefined ? NO_CREDENTIALS : preferredCredentialOf(operation, contract, key)
  const conditions = (operation.conditions ?? []).map(
    ({ name, value = '1' }) => [name, value] as const,
  )
  const base = origin + (operation.basePaths?.[0] ?? contract.basePath)

  return {
    method: operation.method,
    url:
      base +
      pathText(operation.path, path) +
      queryText(query, [...conditions, ...credentials.query]),
    headers: withParameters(credentials.headers, header),
    cookies: withParameters(credentials.cookies, cookie),
    ...(credentials.user !== undefined && { user: credentials.user }),
    ...(body && { body }),
  }
}

/** The body: of operations other than GET also one that is not required. `unknown` when a required one is not found. */
async function bodyOf(
  { method, body }: Operation,
  { sampler }: RequestContext,
): Promise<SampleRequest['body'] | 'unknown'> {
  if (!body || (method === 'GET' && !body.required)) return undefined
  const [mediaType = 'application/json'] = body.mediaTypes
  const text = isJson(mediaType) ? await bodyText(body, sampler) : undefined
  if (text !== undefined) return { text, mediaType }
  // Loaded only for other formats than JSON.
  const { bodyInput } = await import('./body-input.ts')
  const found = await bodyInput(body)
  if (found) return { text: found.text, mediaType: found.type }

  return body.required ? 'unknown' : undefined
}

/** The required parameters at a location; `undefined` when no valid value for one of them is found. */
async function requiredTexts(
  operation: Operation,
  location: Parameter['in'],
  { sampler, recordId }: RequestContext,
): Promise<Texts | undefined> {
  const all = new Map<string, readonly string[]>()
  const at = ({ name }: Parameter): number => operation.path.indexOf(`{${name}}`)
  const parameters =
    location === 'path'
      ? operation.parameters.toSorted((one, other) => at(one) - at(other))
      : operation.parameters
  for (const parameter of parameters) {
    const { name, required } = parameter
    if (parameter.in !== location || !required) continue
    if (location === 'header' && RESERVED_HEADERS.has(name.toLowerCase())) continue
    const id = location === 'path' ? await recordId(operation, name, valuesOf(all)) : undefined
    const texts = id === undefined ? await parameterTexts(parameter, sampler) : [id]
    if (!texts) return undefined
    all.set(name, texts)
  }
  return all
}

function valuesOf(texts: Texts): PathValues {
  return Object.fromEntries([...texts].map(([name, value]) => [name, value.join(',')]))
}

/** The path with its values. A parameter that the document does not declare gets any value. */
function pathText(template: string, texts: Texts): string {
  const { literals, names } = parseTemplate(template)
  return literals
    .map(encodeLiteral)
    .reduce((path, literal, index) => path + valueText(texts.get(names[index - 1] ?? '')) + literal)
}

function valueText(texts: readonly string[] = ['1']): string {
  return texts.map(encodePart).join(',')
}

function queryText(
  texts: Texts,
  given: readonly (readonly [name: string, value: string])[],
): string {
  const names = new Set(given.map(([name]) => name))
  const sent = [...texts]
    .filter(([name]) => !names.has(name))
    .flatMap(([name, values]) => values.map((value) => [name, value] as const))
  const pairs = [...given, ...sent].map((pair) => pair.map(encodePart).join('='))

  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Credentials and parameters: a credential replaces a parameter of the same name. */
function withParameters(
  credentials: SampleRequest['headers'],
  texts: Texts,
): SampleRequest['headers'] {
  const names = new Set(credentials.map(([name]) => name.toLowerCase()))
  const sent = [...texts].filter(([name]) => !names.has(name.toLowerCase()))

  return [...credentials, ...sent.map(([name, values]) => [name, values.join(',')] as const)]
}
