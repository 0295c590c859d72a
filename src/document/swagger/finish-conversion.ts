import { isObject } from '../../validation/objects.ts'
import {
  asArray,
  asObject,
  asString,
  childOf,
  type JsonObject,
  type Pointer,
  refOf,
} from '../json-value.ts'
import {
  type Changeable,
  type ConversionNote,
  FORM_TYPES,
  isChangeable,
  LIST_FORMAT,
  WITHOUT_BODY,
} from './prepare-swagger.ts'

const WARNING = 'x-s2o-warning'

/** How OpenAPI 3 writes the lists of a form field: by the `collectionFormat` of Swagger. */
const LIST_STYLES: Readonly<Record<string, object>> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
}

/** Corrects what the converter leaves incomplete. Returns what it could not convert. */
export function finishConversion(document: Changeable, swagger: JsonObject): ConversionNote[] {
  const { paths, components } = document
  const { responses, requestBodies } = asObject(components)
  for (const operation of operationsIn(paths)) {
    Object.values(asObject(operation.responses)).forEach(nameMediaType)
    addListStyles(operation.requestBody)
    addFormTypes(operation, asObject(requestBodies))
  }
  Object.values(asObject(responses)).forEach(nameMediaType)
  Object.values(asObject(requestBodies)).forEach(addListStyles)

  return takeWarnings(document, []).map(({ reason, pointer }) => ({
    reason,
    pointer: swaggerPointer(pointer, document, swagger),
  }))
}

function operationsIn(paths: unknown): Changeable[] {
  return Object.values(asObject(paths)).flatMap((item) =>
    Object.entries(asObject(item)).flatMap(([method, operation]) => {
      if (!isChangeable(operation)) return []
      if (WITHOUT_BODY.has(method)) delete operation.requestBody
      return [operation]
    }),
  )
}

/** A document that does not say what it produces gets any media type from the converter. Nearly all of them produce JSON. */
function nameMediaType(response: unknown): void {
  const { content } = asObject(response)
  if (!isChangeable(content) || content['*/*'] === undefined) return
  const { '*/*': media, ...others } = content
  const { type, format } = asObject(asObject(media).schema)
  const isFile = type === 'string' && format === 'binary'
  delete content['*/*']
  Object.assign(content, {
    [isFile ? 'application/octet-stream' : 'application/json']: media,
    ...others,
  })
}

/** The converter drops the `collectionFormat` of form fields. */
function addListStyles(body: unknown): void {
  for (const media of Object.values(asObject(asObject(body).content))) {
    if (!isChangeable(media)) continue
    const fields = Object.entries(asObject(asObject(media.schema).properties))
    const styles = fields.flatMap(([name, field]) => {
      const style = LIST_STYLES[asString(asObject(field)[LIST_FORMAT]) ?? '']
      if (isChangeable(field)) delete field[LIST_FORMAT]
      return style ? [[name, style] as const] : []
    })
    if (styles.length > 0) media.encoding = Object.fromEntries(styles)
  }
}

/** The converter makes a multipart body of a form that can also be sent in the other form. */
function addFormTypes(operation: Changeable, shared: JsonObject): void {
  const types = asArray(operation[FORM_TYPES]).map(String)
  delete operation[FORM_TYPES]
  const name = refOf(operation.requestBody)?.split('/').pop() ?? ''
  const content = asObject(shared[name] ?? operation.requestBody).content
  if (!isChangeable(content)) return
  const [media] = Object.values(content)
  for (const type of types) content[type] ??= media
}

/** Removes the warnings that the converter writes into the document, and returns them. */
function takeWarnings(value: unknown, pointer: Pointer): ConversionNote[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => takeWarnings(item, [...pointer, String(index)]))
  }
  if (!isChangeable(value)) return []
  const warning = asString(value[WARNING])
  delete value[WARNING]
  const inner = Object.entries(value).flatMap(([key, child]) =>
    isObject(child) || Array.isArray(child) ? takeWarnings(child, [...pointer, key]) : [],
  )
  if (warning === undefined) return inner

  return [{ reason: warning, pointer }, ...inner]
}

/** Where Swagger 2.0 has what OpenAPI 3 has under `components`. */
const SECTIONS: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  parameters: 'parameters',
  responses: 'responses',
  requestBodies: 'parameters',
  securitySchemes: 'securityDefinitions',
}

/** The pointer to a value in a Swagger document by its pointer in the converted document, as far as both have it. */
export function swaggerPointer(
  pointer: Pointer,
  converted: JsonObject,
  original: JsonObject,
): Pointer {
  const [top, second = '', ...rest] = pointer
  if (top === 'servers') return [original.host === undefined ? 'basePath' : 'host']
  if (top === 'components') return withoutMedia([SECTIONS[second] ?? second, ...rest])
  if (top !== 'paths') return pointer
  const part = rest[0] === 'parameters' ? 0 : 1
  const owner = pointer.slice(0, 2 + part)
  if (rest[part] === 'requestBody') return [...owner, 'parameters']
  if (rest[part] !== 'parameters') return withoutMedia(pointer)
  const index = rest[part + 1]

  return index === undefined
    ? pointer
    : [...owner, 'parameters', originalIndex(owner, index, converted, original)]
}

/** In Swagger, the schema of a response is not below its `content`. */
function withoutMedia(pointer: Pointer): Pointer {
  const at = pointer.indexOf('content')
  if (at < 0 || !pointer.slice(0, at).includes('responses')) return pointer

  return [...pointer.slice(0, at), ...pointer.slice(at + 2)]
}

/** The position that a parameter has in the Swagger document. The conversion takes bodies out of the list. */
function originalIndex(
  owner: Pointer,
  index: string,
  converted: JsonObject,
  original: JsonObject,
): string {
  const pointer = [...owner, 'parameters']
  const wanted = identity([...pointer, index].reduce<unknown>(childOf, converted))
  const found = asArray(pointer.reduce<unknown>(childOf, original)).findIndex(
    (parameter) => identity(parameter) === wanted,
  )

  return found < 0 ? index : String(found)
}

function identity(parameter: unknown): string {
  const { name, in: location } = asObject(parameter)

  return JSON.stringify([refOf(parameter)?.split('/').pop(), name, location])
}
