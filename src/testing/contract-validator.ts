import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { parse } from 'yaml'

/** A response, and the request that it answers. The body is text, as it went over the wire. */
export interface ExchangeToCheck {
  readonly method: string
  /** Below the base address and without the query, as `/pets/1`. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

type Node = Readonly<Record<string, unknown>>

const QUOTA = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** What a document leaves to be said of the service. */
export interface ServiceRules {
  /** Headers of the document's components that answers carry where no operation is, too. */
  readonly commonHeaders: readonly string[]
  /** With which statuses requests are refused that no operation is for. */
  readonly refusals: readonly number[]
}

/**
 * Holds answers against an OpenAPI document. It reads the document by itself and shares no line with the engine, so that
 * the two cannot be wrong in the same way.
 */
export class ContractValidator {
  readonly #file: string
  readonly #document: Node
  readonly #rules: ServiceRules
  readonly #ajv: Ajv2020
  readonly #checks = new Map<string, ValidateFunction>()

  /** `file` is a path below the repository's root, as `openapi.yaml`. */
  constructor(file: string, rules: ServiceRules) {
    const document: unknown = parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
    if (!isNode(document)) throw new TypeError(`${file} is no mapping`)
    this.#file = file
    this.#document = document
    this.#rules = rules
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    ajvFormats.default(this.#ajv)
    // The document holds schemas and is none itself, so it is not checked as one.
    this.#ajv.addSchema(document, file, false, false)
  }

  /** The operations that the document has. */
  get operations(): readonly string[] {
    return Object.entries(this.#childrenOf('#/paths')).flatMap(([path, item]) =>
      Object.keys(isNode(item) ? item : {})
        .filter((key) => METHODS.includes(key))
        .map((key) => String(this.#nodeAt(`#/paths/${escaped(path)}/${key}`).operationId)),
    )
  }

  /**
   * Throws an error that names operation, status and fault when a response is not what the document promises. Gives the
   * operation that the request was for, if there is one.
   */
  expectValid(answered: ExchangeToCheck): string | undefined {
    const faults = this.#findFaults(answered)
    const { method, path, status } = answered
    const operation = this.#operationAt(method, path)
    const id = operation && String(this.#nodeAt(operation).operationId)
    if (faults.length === 0) return id
    const name = id ? `${id} (${method} ${path})` : `${method} ${path}`

    throw new Error(`${name} answered ${status} against ${this.#file}: ${faults.join('; ')}`)
  }

  #findFaults(answered: ExchangeToCheck): string[] {
    const operation = this.#operationAt(answered.method, answered.path)
    if (!operation) return this.#faultsOfUnmatched(answered)
    const response = this.#responseAt(operation, answered.status)
    if (!response) return ['the status is not documented']

    return [
      ...this.#faultsOfHeaders(response, answered.headers),
      ...this.#faultsOfContent(response, answered),
      ...faultsOfError(answered),
    ]
  }

  /** No operation is documented for the request: it is refused with an Error, or it is OPTIONS. */
  #faultsOfUnmatched(answered: ExchangeToCheck): string[] {
    const { method, status, headers } = answered
    const quota = this.#rules.commonHeaders.flatMap((name) =>
      this.#faultsOfHeader(name, `#/components/headers/${name}`, headers),
    )
    if (method === 'OPTIONS' && status === 204) return quota
    if (!this.#rules.refusals.includes(status)) return [...quota, 'no operation is documented here']
    const schema = '#/components/schemas/Error'

    return [...quota, ...this.#faultsOfJson(schema, answered), ...faultsOfError(answered)]
  }

  #faultsOfHeaders(response: string, headers: Headers): string[] {
    return Object.keys(this.#childrenOf(`${response}/headers`)).flatMap((name) =>
      this.#faultsOfHeader(name, this.#follow(`${response}/headers/${name}`), headers),
    )
  }

  #faultsOfHeader(name: string, header: string, headers: Headers): string[] {
    const value = headers.get(name)
    if (value === null)
      return this.#nodeAt(header).required === true ? [`header ${name} is missing`] : []
    const type = this.#nodeAt(this.#follow(`${header}/schema`)).type

    return this.#violations(`${header}/schema`, fromText(value, type)).map(
      (violation) => `header ${name} (${value}) ${violation}`,
    )
  }

  #faultsOfContent(response: string, answered: ExchangeToCheck): string[] {
    const types = Object.keys(this.#childrenOf(`${response}/content`))
    const [type] = types
    if (type === undefined) return answered.body === '' ? [] : ['no body is documented']
    const schema = `${response}/content/${escaped(type)}/schema`

    return type.startsWith('text/')
      ? this.#faultsOfText(schema, answered, type)
      : this.#faultsOfJson(schema, answered, types)
  }

  #faultsOfText(schema: string, { headers, body }: ExchangeToCheck, type: string): string[] {
    const told = headers.get('content-type')
    const faults = told === type ? [] : [`the content type is ${told}, not ${type}`]

    return [...faults, ...this.#violations(schema, body).map((violation) => `body${violation}`)]
  }

  #faultsOfJson(
    schema: string,
    { method, headers, body }: ExchangeToCheck,
    types: readonly string[] = ['application/json'],
  ): string[] {
    const type = headers.get('content-type') ?? 'none'
    const faults = types.includes(type) ? [] : [`the content type is ${type}, not ${types}`]
    if (method === 'HEAD') return body === '' ? faults : [...faults, 'HEAD has a body']
    const value = fromJson(body)
    if (value === undefined) return [...faults, 'the body is no JSON']

    return [...faults, ...this.#violations(schema, value).map((violation) => `body${violation}`)]
  }

  /** Pointer to the operation that a request is for; HEAD is documented as GET. */
  #operationAt(method: string, path: string): string | undefined {
    const template = Object.keys(this.#childrenOf('#/paths'))
      .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
      .find((candidate) => isPathOf(candidate, path))
    const name = method === 'HEAD' ? 'get' : method.toLowerCase()
    if (template === undefined || !METHODS.includes(name)) return undefined
    const operation = `#/paths/${escaped(template)}/${name}`

    return this.#find(operation) === undefined ? undefined : operation
  }

  /** A status of its own comes first, then its range, as `4XX`, then `default`, by which no success goes. */
  #responseAt(operation: string, status: number): string | undefined {
    const responses = this.#childrenOf(`${operation}/responses`)
    const names = [String(status), `${Math.floor(status / 100)}XX`]
    if (status >= 400) names.push('default')
    const name = names.find((one) => Object.hasOwn(responses, one))

    return name && this.#follow(`${operation}/responses/${name}`)
  }

  #violations(schema: string, value: unknown): string[] {
    const check =
      this.#checks.get(schema) ?? this.#ajv.compile({ $ref: `${this.#file}${encodeURI(schema)}` })
    this.#checks.set(schema, check)
    if (check(value)) return []

    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  /** The pointer itself, or the one that a `$ref` there leads to. */
  #follow(pointer: string): string {
    const { $ref } = this.#nodeAt(pointer)
    return typeof $ref === 'string' ? this.#follow($ref) : pointer
  }

  #nodeAt(pointer: string): Node {
    const node = this.#find(pointer)
    if (isNode(node)) return node
    throw new TypeError(`${this.#file} has no ${pointer}`)
  }

  #childrenOf(pointer: string): Node {
    const node = this.#find(pointer)
    return isNode(node) ? node : {}
  }

  #find(pointer: string): unknown {
    const steps = pointer.split('/').slice(1)
    return steps.reduce<unknown>((node, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      return isNode(node) && Object.hasOwn(node, name) ? node[name] : undefined
    }, this.#document)
  }
}

function fromText(text: string, type: unknown): unknown {
  const isNumber = type === 'integer' || type === 'number'
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** SERVICE.md, Errors: the `status` field repeats the HTTP status code. */
function faultsOfError({ method, status, body }: ExchangeToCheck): string[] {
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

function isPathOf(template: string, path: string): boolean {
  const asked = path.split('/')
  const steps = template.split('/')
  const isStep = (step: string, at: number): boolean =>
    step.startsWith('{') ? Boolean(asked[at]) : step === asked[at]

  return asked.length === steps.length && steps.every(isStep)
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

const service = new ContractValidator('openapi.yaml', {
  commonHeaders: QUOTA,
  refusals: [404, 405],
})

/** Throws an error that names operation, status and fault when a response is not what openapi.yaml promises. */
export function expectValidExchange(answered: ExchangeToCheck): void {
  service.expectValid(answered)
}
