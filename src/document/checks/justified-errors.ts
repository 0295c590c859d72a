import type { ErrorObject } from 'ajv'
import { parsePointer } from '../../contract/parse-pointer.ts'
import { type Document, findValue } from '../document.ts'

/** Whether an error about a document is a mistake of the document, and none of the schema that it is checked by. */
export function isJustified(error: ErrorObject, document: Document): boolean {
  return !isMisspelt(error) && !(isVersion32(document) && isNew(error, document))
}

/**
 * The parser's edition of the 3.1 schema misspells the `description` of a server variable, and therefore rejects it
 * (OAI/OpenAPI-Specification#2793).
 */
function isMisspelt({ instancePath, params }: ErrorObject): boolean {
  const isVariable = /^\/(.*\/)?servers\/\d+\/variables\/[^/]+$/.test(instancePath)

  return isVariable && params.unevaluatedProperty === 'description'
}

function isVersion32({ root }: Document): boolean {
  return /^3\.[2-9]/.test(String(root.openapi))
}

/** The fields that OpenAPI 3.2 has added, and the values of enumerations. */
const NEW_FIELDS: ReadonlySet<unknown> = new Set([
  ...['$self', 'query', 'additionalOperations', 'itemSchema', 'itemEncoding', 'prefixEncoding'],
  ...['mediaTypes', 'dataValue', 'serializedValue', 'deviceAuthorization', 'summary', 'parent'],
  ...['oauth2MetadataUrl', 'deviceAuthorizationUrl', 'kind', 'name', 'deprecated', 'content'],
])
const NEW_VALUES: ReadonlySet<unknown> = new Set(['querystring', 'cookie'])

/** Whether OpenAPI 3.2 allows what the schema of 3.1 rejects. */
function isNew({ keyword, instancePath, params }: ErrorObject, document: Document): boolean {
  if (NEW_FIELDS.has(params.unevaluatedProperty)) return true
  const pointer = parsePointer(instancePath)
  // The description of a response has become optional.
  if (params.missingProperty === 'description') return pointer.at(-2) === 'responses'

  return keyword === 'enum' && NEW_VALUES.has(findValue(document, pointer)?.value)
}
