import type { DocumentedExample, Schema } from '../contract/contract.ts'
import type {
  DocumentedBody,
  DocumentedParameter,
  DocumentedResponse,
  OperationDocumentation,
} from '../contract/documentation.ts'
import { escapeKey } from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'
import { encodingOf, examplesOf } from './compile-content.ts'
import { type Document, refTarget, resolveRef } from './document.ts'
import { asObject, asString, copyDocument, type JsonObject, type Pointer } from './json-value.ts'
import { operationIdsOf, operationsOf } from './operations.ts'

/** The documentation of the operation with this id; `undefined` when the document has none. */
export function documentationOf(
  document: Document,
  id: string,
): OperationDocumentation | undefined {
  const entries = operationsOf(document)
  const entry = entries[operationIdsOf(entries).indexOf(id)]
  if (!entry) return undefined
  const { operation } = entry
  const collector = new SchemaCollector(document)
  const parameters = entry.parameters.map(({ parameter }) => ({
    ...describeParameter(parameter, document, collector),
    in: String(parameter.in),
  }))
  const { requestBody } = operation
  const body = requestBody === undefined ? undefined : resolveRef(document, requestBody)
  const responses = Object.entries(resolveRef(document, operation.responses))
  const found = {
    ...descriptionOf(operation),
    parameters,
    ...(body && { body: describeBody(body, document, collector) }),
    responses: responses
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, value]) => describeResponse(status, value, document, collector)),
  }

  return { ...found, schemas: collector.collect() }
}

function descriptionOf({ description }: JsonObject): { readonly description?: string } {
  const text = asString(description) ?? ''
  return text.trim() === '' ? {} : { description: text }
}

function describeParameter(
  parameter: JsonObject,
  document: Document,
  collector: SchemaCollector,
): Omit<DocumentedParameter, 'in'> {
  const [content] = Object.values(asObject(parameter.content))
  const media = content === undefined ? parameter : resolveRef(document, content)
  const examples = [...examplesOf(parameter, document), ...examplesOf(media, document)]

  return {
    name: String(parameter.name),
    ...descriptionOf(parameter),
    ...(parameter.deprecated === true && { deprecated: true as const }),
    schema: collector.copy(media.schema ?? {}),
    examples: shown(content === undefined ? examplesOf(parameter, document) : examples),
  }
}

function describeBody(
  body: JsonObject,
  document: Document,
  collector: SchemaCollector,
): DocumentedBody {
  const content = Object.entries(asObject(body.content)).map(([mediaType, value]) => {
    const media = resolveRef(document, value)
    const schema = media.schema ?? media.itemSchema
    const encoding = encodingOf(media, document)

    return {
      mediaType,
      ...(schema !== undefined && { schema: collector.copy(schema) }),
      examples: shown(examplesOf(media, document)),
      ...(encoding && { encoding }),
    }
  })

  return { ...descriptionOf(body), content }
}

function describeResponse(
  status: string,
  value: unknown,
  document: Document,
  collector: SchemaCollector,
): DocumentedResponse {
  const response = resolveRef(document, value)
  const headers = Object.entries(asObject(response.headers)).map(([name, header]) =>
    describeParameter({ ...resolveRef(document, header), name }, document, collector),
  )

  return { status, ...describeBody(response, document, collector), headers }
}

/** How many examples of one place there are, and how long the JSON of each one is. Others are only in the document. */
const MAX_EXAMPLES = 20
const MAX_EXAMPLE_LENGTH = 50_000

function shown(examples: readonly DocumentedExample[]): readonly DocumentedExample[] {
  return examples
    .slice(0, MAX_EXAMPLES)
    .map(({ value, ...rest }) => ({ ...rest, value: copyDocument(value) }))
    .filter(({ value }) => JSON.stringify(value).length <= MAX_EXAMPLE_LENGTH)
}

/** How many characters of JSON the schemas of one operation have, about. */
const MAX_LENGTH = 600_000

/** How deep one schema without `$ref`s is. */
const MAX_DEPTH = 60

/** The keywords whose values are data: a `$ref` in them refers to nothing. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const'])

/** The keywords whose values are schemas by name. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** Copies schemas, and collects those that their `$ref`s name. */
class SchemaCollector {
  readonly #document: Document
  /** The schemas by the name that stands in the `$ref`s of the copies. The map grows while its schemas are copied. */
  readonly #targets = new Map<string, unknown>()

  constructor(document: Document) {
    this.#document = document
  }

  /** A schema as JSON, in which each `$ref` is the JSON Pointer of its target. */
  copy(value: unknown, depth = 0): Schema {
    if (!isObject(value) || depth > MAX_DEPTH) return {}
    const target = refTarget(this.#document, value)
    const entries = Object.entries(value).map(([key, part]): [string, unknown] => {
      if (key === '$ref') return [key, target ? this.#nameOf(target) : part]
      if (DATA.has(key) || key.startsWith('x-')) return [key, copyDocument(part)]
      return [key, this.#copyPart(key, part, depth + 1)]
    })

    return Object.fromEntries(entries.filter(([key]) => key !== '__proto__'))
  }

  #copyPart(key: string, part: unknown, depth: number): unknown {
    if (Array.isArray(part)) {
      return part.map((one) => (isObject(one) ? this.copy(one, depth) : copyDocument(one)))
    }
    if (!isObject(part)) return copyDocument(part)
    if (!MAPS.has(key)) return this.copy(part, depth)
    const members = Object.entries(part).filter(([name]) => name !== '__proto__')

    return Object.fromEntries(
      members.map(([name, one]) => [name, isObject(one) ? this.copy(one, depth) : one]),
    )
  }

  #nameOf({ value, pointer }: { readonly value: unknown; readonly pointer: Pointer }): string {
    const name = ['#', ...pointer.map(escapeKey)].join('/')
    if (!this.#targets.has(name)) this.#targets.set(name, value)
    return name
  }

  /** The schemas that were named until now, and those that they name. */
  collect(): Readonly<Record<string, Schema>> {
    const found: [string, Schema][] = []
    let left = MAX_LENGTH
    for (const [name, value] of this.#targets) {
      if (left < 0) break
      const schema = this.copy(value)
      left -= JSON.stringify(schema).length
      found.push([name, schema])
    }
    return Object.fromEntries(found)
  }
}
