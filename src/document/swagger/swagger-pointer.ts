import { childOf, type Pointer } from '../json-pointer.ts'
import { asArray, asObject, type JsonObject, refOf } from '../json-value.ts'

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
