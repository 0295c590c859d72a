import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { escapeToken, isNode, OpenApiDocument } from './openapi-document.ts'

/** A response, and the request that it belongs to. The body is text, as it was sent. */
export interface ExchangeToCheck {
  readonly method: string
  /** The path after the base path and without the query, such as `/pets/1`. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** What a document does not say about responses to requests that match no operation. */
export interface ServiceRules {
  /** The names of the headers in `components` that these responses also have. */
  readonly commonHeaders: readonly string[]
  /** The allowed statuses of these responses. */
  readonly statuses: readonly number[]
}

/**
 * Checks responses against an OpenAPI document. It reads the document itself and shares no code with the engine, so that one
 * bug cannot be in both.
 */
export class ContractValidator {
  readonly #document: OpenApiDocument
  readonly #rules: ServiceRules
  readonly #ajv: Ajv2020
  readonly #checks = new Map<string, ValidateFunction>()

  /** `file` is a path from the root of the repository, such as `openapi.yaml`. */
  constructor(file: string, rules: ServiceRules) {
    this.#document = new OpenApiDocument(file)
    this.#rules = rules
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    ajvFormats.default(this.#ajv)
    // The document contains schemas, but it is not a schema, so Ajv must not validate it as one.
    this.#ajv.addSchema(this.#document.root, file, false, false)
  }

  /** The ids of all operations of the document. */
  get operations(): readonly string[] {
    return this.#document.operations
  }

  /**
   * Throws an error with the operation, the status and all errors when a response is not valid by the document. Returns the
   * id of the operation, or `undefined` when the request matches none.
   */
  expectValid(exchange: ExchangeToCheck): string | undefined {
    const errors = this.#errorsIn(exchange)
    const { method, path, status } = exchange
    const operation = this.#document.operationAt(method, path)
    const id = operation && String(this.#document.nodeAt(operation).operationId)
    if (errors.length === 0) return id
    const name = id ? `${id} (${method} ${path})` : `${method} ${path}`

    throw new Error(
      `${name}: the response ${status} violates ${this.#document.file}: ${errors.join('; ')}`,
    )
  }

  #errorsIn(exchange: ExchangeToCheck): string[] {
    const operation = this.#document.operationAt(exchange.method, exchange.path)
    if (!operation) return this.#errorsWithoutOperation(exchange)
    const response = this.#document.responseAt(operation, exchange.status)
    if (!response) return ['the status is not documented']

    return [
      ...this.#errorsInHeaders(response, exchange.headers),
      ...this.#errorsInContent(response, exchange),
      ...errorsInStatusField(exchange),
    ]
  }

  /** A request that matches no operation gets an Error, or it is OPTIONS. */
  #errorsWithoutOperation(exchange: ExchangeToCheck): string[] {
    const { method, status, headers } = exchange
    const inHeaders = this.#rules.commonHeaders.flatMap((name) =>
      this.#errorsInHeader(name, `#/components/headers/${name}`, headers),
    )
    if (method === 'OPTIONS' && status === 204) return inHeaders
    if (!this.#rules.statuses.includes(status)) {
      return [...inHeaders, 'the document has no such operation']
    }
    const schema = '#/components/schemas/Error'

    return [...inHeaders, ...this.#errorsInJson(schema, exchange), ...errorsInStatusField(exchange)]
  }

  #errorsInHeaders(response: string, headers: Headers): string[] {
    return Object.keys(this.#document.childrenOf(`${response}/headers`)).flatMap((name) =>
      this.#errorsInHeader(name, this.#document.follow(`${response}/headers/${name}`), headers),
    )
  }

  #errorsInHeader(name: string, header: string, headers: Headers): string[] {
    const value = headers.get(name)
    if (value === null)
      return this.#document.nodeAt(header).required === true ? [`header ${name} is missing`] : []
    const { type } = this.#document.nodeAt(this.#document.follow(`${header}/schema`))

    return this.#schemaErrors(`${header}/schema`, parseHeader(value, type)).map(
      (error) => `header ${name} (${value}) ${error}`,
    )
  }

  #errorsInContent(response: string, exchange: ExchangeToCheck): string[] {
    const types = Object.keys(this.#document.childrenOf(`${response}/content`))
    const [type] = types
    if (type === undefined) return exchange.body === '' ? [] : ['no body is documented']
    const schema = `${response}/content/${escapeToken(type)}/schema`

    return type.startsWith('text/')
      ? this.#errorsInText(schema, exchange, type)
      : this.#errorsInJson(schema, exchange, types)
  }

  #errorsInText(schema: string, { headers, body }: ExchangeToCheck, type: string): string[] {
    const sent = headers.get('content-type')
    const errors = sent === type ? [] : [`the content type is ${sent}, not ${type}`]

    return [...errors, ...this.#schemaErrors(schema, body).map((error) => `body${error}`)]
  }

  #errorsInJson(
    schema: string,
    { method, headers, body }: ExchangeToCheck,
    types: readonly string[] = ['application/json'],
  ): string[] {
    const type = headers.get('content-type') ?? 'none'
    const errors = types.includes(type) ? [] : [`the content type is ${type}, not ${types}`]
    if (method === 'HEAD') return body === '' ? errors : [...errors, 'HEAD has a body']
    const value = parseJson(body)
    if (value === undefined) return [...errors, 'the body is not JSON']

    return [...errors, ...this.#schemaErrors(schema, value).map((error) => `body${error}`)]
  }

  #schemaErrors(schema: string, value: unknown): string[] {
    const reference = { $ref: `${this.#document.file}${encodeURI(schema)}` }
    const check = this.#checks.get(schema) ?? this.#ajv.compile(reference)
    this.#checks.set(schema, check)
    if (check(value)) return []

    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

function parseHeader(text: string, type: unknown): unknown {
  const isNumber = type === 'integer' || type === 'number'
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The `status` of an Error is the status of the response. */
function errorsInStatusField({ method, status, body }: ExchangeToCheck): string[] {
  if (status < 400 || method === 'HEAD') return []
  const error = parseJson(body)
  const field = isNode(error) ? error.status : undefined

  return field === status ? [] : [`body.status is ${field}, but the HTTP status is ${status}`]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const service = new ContractValidator('openapi.yaml', {
  commonHeaders: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  statuses: [404, 405],
})

/** Throws an error with the operation, the status and all errors when a response is not valid by openapi.yaml. */
export function expectValidExchange(exchange: ExchangeToCheck): void {
  service.expectValid(exchange)
}
