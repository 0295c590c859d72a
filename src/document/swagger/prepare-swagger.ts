import { isObject } from '../../validation/objects.ts'
import {
  asArray,
  asObject,
  childOf,
  type JsonObject,
  type Pointer,
  parseFragment,
  refOf,
} from '../json-value.ts'
import { isChoice } from '../schemas/schema-dialect.ts'

/** The mark that keeps the `collectionFormat` of a form field through the conversion. */
export const LIST_FORMAT = 'x-list-format'

/** The mark that keeps the media types of a form through the conversion. */
export const FORM_TYPES = 'x-form-types'

/** The methods whose request body OpenAPI 3.0 ignores. */
export const WITHOUT_BODY: ReadonlySet<string> = new Set(['get', 'head'])

const MULTIPART = 'multipart/form-data'
const URL_ENCODED = 'application/x-www-form-urlencoded'

/** Changes what the converter reads wrongly. Returns what the document loses. */
export function prepareSwagger(document: Changeable): ConversionNote[] {
  const notes = settleRefs(document, document, [])
  prepareAddress(document)
  Object.values(asObject(document.responses)).forEach(prepareHeaders)
  for (const item of Object.values(asObject(document.paths))) {
    if (isChangeable(item)) preparePath(document, item)
  }

  return notes
}

/**
 * Replaces each `$ref` whose target does not exist by a value that allows anything. The converter follows a `$ref` to the
 * prototype of objects, such as `#/constructor/prototype`, and would change it.
 */
function settleRefs(
  document: Changeable,
  parent: Changeable | unknown[],
  pointer: Pointer,
): ConversionNote[] {
  return Object.entries(parent).flatMap(([key, value]): ConversionNote[] => {
    const here = [...pointer, key]
    if (Array.isArray(value)) return settleRefs(document, value, here)
    if (!isChangeable(value)) return []
    if (isChoice(value)) settleChoice(value)
    const ref = refOf(value)
    if (ref === undefined) return settleRefs(document, value, here)
    if (!ref.startsWith('#') || targetOf(document, ref) !== undefined) {
      keepNullable(value)
      return []
    }
    Object.assign(parent, { [key]: {} })
    const reason = `the $ref "${ref}" points to a value that does not exist`

    return here.some((part) => part.startsWith('x-')) ? [] : [{ reason, pointer: here }]
  })
}

/** The converter makes an array of a schema with a list in `items`. */
function settleChoice(schema: Changeable): void {
  schema.anyOf = schema.items
  delete schema.items
}

/** The converter drops what is beside a `$ref`. */
function keepNullable(reference: Changeable): void {
  if (reference['x-nullable'] !== true) return
  reference.allOf = [{ $ref: reference.$ref }]
  delete reference.$ref
}

function targetOf(document: unknown, ref: string): unknown {
  return parseFragment(ref).reduce(childOf, document)
}

/** The converter makes a URL without a scheme of a host without `schemes`, and keeps a path without a slash. */
function prepareAddress(document: Changeable): void {
  const { host, basePath, schemes } = document
  if (typeof host === 'string') document.host = host.replace(/^[a-z]+:\/\/|\/+$/g, '')
  else delete document.host
  if (typeof basePath !== 'string') delete document.basePath
  else if (!basePath.startsWith('/')) document.basePath = `/${basePath}`
  const known = asArray(schemes).filter((scheme) => /^(https?|wss?)$/.test(String(scheme)))
  document.schemes = known.length > 0 ? known : ['https']
}

function preparePath(document: Changeable, item: Changeable): void {
  const written = parametersOf(document, item)
  const shared = written.filter((parameter) => isBody(document, parameter))
  if (Array.isArray(item.parameters)) {
    item.parameters = written.filter((parameter) => !shared.includes(parameter))
  }
  for (const method of SWAGGER_METHODS) {
    const operation = item[method]
    if (!isChangeable(operation)) continue
    const own = parametersOf(document, operation)
    // The converter leaves out the body of a path for an operation that has no parameters of its own.
    const inherited =
      WITHOUT_BODY.has(method) || own.some((one) => isBody(document, one)) ? [] : shared
    operation.parameters = [...own, ...structuredClone(inherited)]
    prepareForm(document, operation)
    Object.values(asObject(operation.responses)).forEach(prepareHeaders)
  }
}

/** The converter fails at a header without a type. */
function prepareHeaders(response: unknown): void {
  for (const header of Object.values(asObject(asObject(response).headers))) {
    if (isChangeable(header) && refOf(header) === undefined) header.type ??= 'string'
  }
}

/** The parameters of a path or an operation, without what is not a parameter. */
function parametersOf(document: Changeable, owner: Changeable): unknown[] {
  return asArray(owner.parameters).filter(
    (parameter) => typeof resolved(document, parameter).in === 'string' || refOf(parameter),
  )
}

function isBody(document: Changeable, parameter: unknown): boolean {
  const { in: location } = resolved(document, parameter)

  return location === 'body' || location === 'formData'
}

function resolved(document: Changeable, value: unknown): Changeable {
  const ref = refOf(value)

  return changeable(ref === undefined ? value : targetOf(document, ref))
}

function prepareForm(document: Changeable, operation: Changeable): void {
  const parameters = asArray(operation.parameters).map((one) => resolved(document, one))
  const fields = parameters.filter((parameter) => parameter.in === 'formData')
  for (const field of fields) {
    if (field.type === 'array') field[LIST_FORMAT] ??= field.collectionFormat ?? 'csv'
  }
  if (fields.length === 0) return
  const given = [operation.consumes ?? document.consumes ?? []].flat().map(String)
  const types = given.filter((type) => type === MULTIPART || type === URL_ENCODED)
  // Only a multipart body can carry a file.
  if (fields.some((field) => field.type === 'file')) operation.consumes = [MULTIPART]
  else if (types.length > 1) operation[FORM_TYPES] = types
}

/** A part of a Swagger document that is changed in place. */
export type Changeable = Record<string, unknown>

/** What the conversion of a Swagger document could not keep. */
export interface ConversionNote {
  /** Why: a clause without a full stop. */
  readonly reason: string
  /** The place in the Swagger document. */
  readonly pointer: readonly string[]
}

/** The methods that a path of Swagger 2.0 can have. */
const SWAGGER_METHODS: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
]

/** Whether a document is written in Swagger 2.0. YAML reads the version as a number when it has no quotes. */
export function isSwagger2(root: unknown): root is JsonObject {
  return isObject(root) && root.openapi === undefined && /^2(\.0)*$/.test(String(root.swagger))
}

/** The value if it is an object that can be changed, otherwise an empty one that belongs to nothing. */
export function changeable(value: unknown): Changeable {
  return isChangeable(value) ? value : {}
}

export function isChangeable(value: unknown): value is Changeable {
  return isObject(value)
}
