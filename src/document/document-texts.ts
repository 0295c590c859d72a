import { isObject } from '../validation/objects.ts'
import { type Document, refTarget, resolveRef } from './document.ts'
import { asArray, asObject, asString, type JsonObject } from './json-value.ts'
import { type OperationEntry, operationIdsOf, operationsOf } from './operations.ts'

/** What a document says in words, which a contract does not contain. What it does not say is empty. */
export interface DocumentTexts {
  /** The description of the API, and those of its security schemes, each in a paragraph. */
  readonly api: string
  /** The summary and the description of the operation with this id. */
  operation(id: string): string
  /** The description of a response that only this operation has. */
  response(id: string, status: number): string
  /** The description of a response of an operation, also of one that others have, too. */
  anyResponse(id: string, status: number): string
  /** The description of a header of the successful responses of an operation. */
  header(id: string, name: string): string
  /** The description of a parameter of an operation. */
  parameter(id: string, name: string): string
  /** The description of a property of the body of an operation, or else of its successful responses. */
  property(id: string, name: string): string
  /** Whether the description of a property matches. */
  hasProperty(id: string, words: RegExp): boolean
}

/** For a contract without its document. */
export const NO_TEXTS: DocumentTexts = {
  api: '',
  operation: () => '',
  response: () => '',
  anyResponse: () => '',
  header: () => '',
  parameter: () => '',
  property: () => '',
  hasProperty: () => false,
}

/** How deep properties are searched for, in steps from a body. */
const MAX_DEPTH = 8

/** How many schemas of one operation are searched. */
const MAX_SCHEMAS = 2000

/** Reads the texts of an operation when they are first asked for. */
export function createTexts(root: JsonObject): DocumentTexts {
  const document = { root, sources: [] }
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const byId = new Map(entries.map((entry, at) => [ids[at], entry] as const))
  const properties = new Map<string, ReadonlyMap<string, string>>()
  const propertiesOf = (id: string): ReadonlyMap<string, string> => {
    const entry = byId.get(id)
    const known = properties.get(id) ?? (entry ? propertyTexts(entry, root) : new Map())
    properties.set(id, known)
    return known
  }

  const responseOf = (id: string, status: number): JsonObject =>
    asObject(resolveRef(document, byId.get(id)?.operation.responses)[status])

  return {
    api: [asObject(root.info), ...securitySchemesOf(document)]
      .map((one) => textsOf(one))
      .filter((text) => text !== '')
      .join('\n\n'),
    operation: (id) => {
      const { summary, description } = byId.get(id)?.operation ?? {}
      return [summary, description].flatMap((text) => asString(text) ?? []).join('. ')
    },
    response: (id, status) => {
      const own = responseOf(id, status)
      return own.$ref === undefined ? textsOf(own) : ''
    },
    anyResponse: (id, status) => textsOf(resolveRef(document, responseOf(id, status))),
    header: (id, name) => {
      const responses = Object.entries(resolveRef(document, byId.get(id)?.operation.responses))
      const found = responses
        .filter(([status]) => /^2/.test(status))
        .flatMap(([, one]) => Object.entries(asObject(resolveRef(document, one).headers)))
        .find(([own]) => own.toLowerCase() === name.toLowerCase())
      return textsOf(resolveRef(document, found?.[1]))
    },
    parameter: (id, name) => {
      const found = byId.get(id)?.parameters.find(({ parameter }) => parameter.name === name)
      const schema = resolveRef(document, found?.parameter.schema)
      return textsOf(found?.parameter ?? {}, schema)
    },
    property: (id, name) => propertiesOf(id).get(name) ?? '',
    hasProperty: (id, words) => [...propertiesOf(id).values()].some((one) => words.test(one)),
  }
}

function securitySchemesOf(document: Document): readonly JsonObject[] {
  const { components, securityDefinitions } = document.root
  const named = [asObject(asObject(components).securitySchemes), asObject(securityDefinitions)]
  return named.flatMap((one) => Object.values(one)).map((one) => resolveRef(document, one))
}

function textsOf(...places: readonly JsonObject[]): string {
  return places.flatMap(({ description }) => asString(description) ?? []).join('. ')
}

/** The descriptions of properties by their names: those that are the least deep in the body, and then those of the responses. */
function propertyTexts({ operation }: OperationEntry, root: JsonObject): Map<string, string> {
  const document = { root, sources: [] }
  const found = new Map<string, string>()
  const responses = Object.entries(resolveRef(document, operation.responses))
  const bodies = [
    resolveRef(document, operation.requestBody),
    ...responses
      .filter(([status]) => /^2/.test(status))
      .map(([, one]) => resolveRef(document, one)),
  ]
  for (const body of bodies) {
    const contents = Object.values(asObject(body.content)).map((one) => resolveRef(document, one))
    let level: readonly unknown[] = contents.map(({ schema }) => schema)
    const seen = new Set<unknown>()
    for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
      level = level.flatMap((one) => {
        const schema = refTarget(document, one)?.value ?? one
        if (!isObject(schema) || seen.has(schema) || seen.size > MAX_SCHEMAS) return []
        seen.add(schema)
        return nextLevel(schema, document, found)
      })
    }
  }
  return found
}

/** Notes the descriptions of the properties of a schema. Returns the schemas in it. */
function nextLevel(
  schema: JsonObject,
  document: Document,
  found: Map<string, string>,
): readonly unknown[] {
  const properties = Object.entries(asObject(schema.properties))
  for (const [name, property] of properties) {
    const text = textsOf(asObject(property), asObject(refTarget(document, property)?.value))
    if (text !== '' && !found.has(name)) found.set(name, text)
  }
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => asArray(schema[key]))
  return [...branches, schema.items, ...properties.map(([, property]) => property)]
}
