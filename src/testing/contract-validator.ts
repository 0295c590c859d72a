import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { parse } from 'yaml'

/** A response, and the request that it answers. The body is text, as it went over the wire. */
export interface Answered {
  readonly method: string
  /** Below the base address and without the query, as `/pets/1`. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

type Node = Readonly<Record<string, unknown>>

const ID = 'openapi.yaml'
const QUOTA = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const file = new URL('../../openapi.yaml', import.meta.url)
const document: unknown = parse(readFileSync(file, 'utf8'))
const ajv = createAjv()
const checks = new Map<string, ValidateFunction>()

/**
 * Throws an error that names operation, status and fault when a response is not what openapi.yaml promises. It reads
 * the document by itself and shares no line with the engine, so that the two cannot be wrong in the same way.
 */
export function expectToKeepContract(answered: Answered): void {
  const faults = findFaults(answered)
  if (faults.length === 0) return
  const { method, path, status } = answered
  const operation = operationAt(method, path)
  const name = operation
    ? `${nodeAt(operation).operationId} (${method} ${path})`
    : `${method} ${path}`

  throw new Error(`${name} answered ${status} against openapi.yaml: ${faults.join('; ')}`)
}

function findFaults(answered: Answered): string[] {
  const operation = operationAt(answered.method, answered.path)
  if (!operation) return faultsOfUnmatched(answered)
  const response = responseAt(operation, answered.status)
  if (!response) return ['the status is not documented']

  return [
    ...faultsOfHeaders(response, answered.headers),
    ...faultsOfContent(response, answered),
    ...faultsOfError(answered),
  ]
}

/** No operation is documented for the request: it is refused with an Error, or it is OPTIONS. */
function faultsOfUnmatched(answered: Answered): string[] {
  const { method, status, headers } = answered
  const quota = QUOTA.flatMap((name) =>
    faultsOfHeader(name, `#/components/headers/${name}`, headers),
  )
  if (method === 'OPTIONS' && status === 204) return quota
  if (status !== 404 && status !== 405) return [...quota, 'no operation is documented here']
  const schema = '#/components/schemas/Error'

  return [...quota, ...faultsOfJson(schema, answered), ...faultsOfError(answered)]
}

function faultsOfHeaders(response: string, headers: Headers): string[] {
  return Object.keys(childrenOf(`${response}/headers`)).flatMap((name) =>
    faultsOfHeader(name, follow(`${response}/headers/${name}`), headers),
  )
}

function faultsOfHeader(name: string, header: string, headers: Headers): string[] {
  const value = headers.get(name)
  if (value === null) return nodeAt(header).required === true ? [`header ${name} is missing`] : []
  const type = nodeAt(follow(`${header}/schema`)).type

  return violations(`${header}/schema`, fromText(value, type)).map(
    (violation) => `header ${name} (${value}) ${violation}`,
  )
}

function fromText(text: string, type: unknown): unknown {
  const isNumber = type === 'integer' || type === 'number'
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

function faultsOfContent(response: string, answered: Answered): string[] {
  const types = Object.keys(childrenOf(`${response}/content`))
  const [type] = types
  if (type === undefined) return answered.body === '' ? [] : ['no body is documented']

  return faultsOfJson(`${response}/content/${escaped(type)}/schema`, answered, types)
}

function faultsOfJson(
  schema: string,
  { method, headers, body }: Answered,
  types: readonly string[] = ['application/json'],
): string[] {
  const type = headers.get('content-type') ?? 'none'
  const faults = types.includes(type) ? [] : [`the content type is ${type}, not ${types}`]
  if (method === 'HEAD') return body === '' ? faults : [...faults, 'HEAD has a body']
  const value = fromJson(body)
  if (value === undefined) return [...faults, 'the body is no JSON']

  return [...faults, ...violations(schema, value).map((violation) => `body${violation}`)]
}

/** SERVICE.md, Errors: the `status` field repeats the HTTP status code. */
function faultsOfError({ method, status, body }: Answered): string[] {
  if (status < 400 || method === 'HEAD') return []
  const error = fromJson(body)
  const told = isNode(error) ? error.status : undefined

  return told === status ? [] : [`body.status is ${told}, and the HTTP status is ${status}`]
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Pointer to the operation that a request is for; HEAD is documented as GET. */
function operationAt(method: string, path: string): string | undefined {
  const template = Object.keys(childrenOf('#/paths'))
    .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
    .find((candidate) => isPathOf(candidate, path))
  const name = method === 'HEAD' ? 'get' : method.toLowerCase()
  if (template === undefined || !METHODS.includes(name)) return undefined
  const operation = `#/paths/${escaped(template)}/${name}`

  return find(operation) === undefined ? undefined : operation
}

function isPathOf(template: string, path: string): boolean {
  const asked = path.split('/')
  const steps = template.split('/')
  const isStep = (step: string, at: number): boolean =>
    step.startsWith('{') ? Boolean(asked[at]) : step === asked[at]

  return asked.length === steps.length && steps.every(isStep)
}

/** A status of its own comes first, then its range, as `4XX`, then `default`, by which no success goes. */
function responseAt(operation: string, status: number): string | undefined {
  const responses = childrenOf(`${operation}/responses`)
  const names = [String(status), `${Math.floor(status / 100)}XX`]
  if (status >= 400) names.push('default')
  const name = names.find((one) => Object.hasOwn(responses, one))

  return name && follow(`${operation}/responses/${name}`)
}

function violations(schema: string, value: unknown): string[] {
  const check = checks.get(schema) ?? ajv.compile({ $ref: `${ID}${encodeURI(schema)}` })
  checks.set(schema, check)
  if (check(value)) return []

  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function createAjv(): Ajv2020 {
  const made = new Ajv2020({ strict: false, allErrors: true })
  ajvFormats.default(made)
  if (!isNode(document)) throw new TypeError('openapi.yaml is no mapping')
  // The document holds schemas and is none itself, so it is not checked as one.
  made.addSchema(document, ID, false, false)

  return made
}

/** The pointer itself, or the one that a `$ref` there leads to. */
function follow(pointer: string): string {
  const { $ref } = nodeAt(pointer)
  return typeof $ref === 'string' ? follow($ref) : pointer
}

function nodeAt(pointer: string): Node {
  const node = find(pointer)
  if (isNode(node)) return node
  throw new TypeError(`openapi.yaml has no ${pointer}`)
}

function childrenOf(pointer: string): Node {
  const node = find(pointer)
  return isNode(node) ? node : {}
}

function find(pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((node, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return isNode(node) && Object.hasOwn(node, name) ? node[name] : undefined
  }, document)
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}
