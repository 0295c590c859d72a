import type {
  DocumentedExample,
  MediaType,
  Parameter,
  ParameterStyle,
  PropertyEncoding,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import { isJson, isSequenceType } from '../contract/json.ts'
import { type Document, resolveRef } from './document.ts'
import { asArray, asObject, asString, type JsonObject } from './json-value.ts'
import { mediaTypeOf } from './operations.ts'
import type { Direction } from './schemas/direction.ts'

/** What compiling an operation needs. */
export interface CompileContext {
  readonly document: Document
  readonly schemaOf: (schema: unknown, direction: Direction) => Schema
  readonly compileSchema: (schema: Schema) => SchemaValidator
}

/** The content of a body or response in each media type, JSON first. */
export function compileContent(
  content: unknown,
  direction: Direction,
  context: CompileContext,
): readonly MediaType[] {
  const types = Object.entries(resolveRef(context.document, content)).map(([key, value]) =>
    compileMediaType(key, resolveRef(context.document, value), direction, context),
  )
  return [
    ...types.filter(({ mediaType }) => isJson(mediaType)),
    ...types.filter(({ mediaType }) => !isJson(mediaType)),
  ]
}

function compileMediaType(
  key: string,
  media: JsonObject,
  direction: Direction,
  { document, schemaOf, compileSchema }: CompileContext,
): MediaType {
  const mediaType = mediaTypeOf(key)
  const { schema: own, itemSchema: items } = media
  const isItems = own === undefined && items !== undefined
  // A response with lines of JSON shows a list, such as that of all records.
  const isList = isItems && direction === 'response' && isSequenceType(mediaType)
  const isSequence = isItems
    ? !isList
    : isSequenceType(mediaType) && isObjectSchema(resolveRef(document, own))
  const source = isList ? { type: 'array', items } : (own ?? items)
  const schema = source === undefined ? undefined : schemaOf(source, direction)
  const examples = examplesOf(media, document)
  const encoding = encodingOf(media, document)

  return {
    mediaType,
    ...(key.trim() !== mediaType && { contentType: key.trim() }),
    ...(schema && { schema, validate: compileSchema(schema) }),
    ...(isSequence && { isSequence }),
    ...(examples.length > 0 && { examples }),
    ...(encoding && { encoding }),
  }
}

/** Before OpenAPI 3.2, a schema had to describe the items of a sequence. That of a list describes them all. */
function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (type === undefined && properties !== undefined)
}

/** How the properties of a form are written; `undefined` when a media type does not say it. */
export function encodingOf(
  { encoding }: JsonObject,
  document: Document,
): Readonly<Record<string, PropertyEncoding>> | undefined {
  const entries = Object.entries(asObject(encoding))
  if (entries.length === 0) return undefined
  return Object.fromEntries(
    entries.map(([name, value]) => [name, readEncoding(resolveRef(document, value))]),
  )
}

/** The examples of a media type, parameter or header, with those of its schema last. */
export function examplesOf(media: JsonObject, document: Document): readonly DocumentedExample[] {
  const schema = resolveRef(document, media.schema)
  const own = media.example === undefined ? [] : [{ value: media.example }]
  const named = Object.entries(asObject(media.examples)).flatMap(([name, example]) =>
    namedExample(name, resolveRef(document, example)),
  )
  const inSchema = [schema.example, ...asArray(schema.examples)].filter(
    (value) => value !== undefined,
  )
  return [...own, ...named, ...inSchema.map((value) => ({ value }))]
}

/** OpenAPI 3.2 has `dataValue`, the value, and `serializedValue`, the text as it is sent. */
function namedExample(name: string, example: JsonObject): readonly DocumentedExample[] {
  const value = example.value ?? example.dataValue ?? asString(example.serializedValue)
  return value === undefined ? [] : [{ name, value }]
}

/** The first example of a media type, parameter or header, else the default of its schema. */
export function exampleOf(media: JsonObject, document: Document): unknown {
  const [first] = examplesOf(media, document)
  return first ? first.value : resolveRef(document, media.schema).default
}

/** The styles of each location (OpenAPI, "Style Values"). The first one is the default. */
const STYLES: Readonly<Record<Parameter['in'], readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  querystring: ['form'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}

/** How a parameter is written, without what is the default of its location. */
export function readStyle(
  parameter: JsonObject,
  location: Parameter['in'],
): Pick<Parameter, 'style' | 'explode' | 'mediaType'> {
  const [mediaType] = Object.keys(asObject(parameter.content))
  if (mediaType !== undefined && parameter.schema === undefined) return { mediaType }

  return styleOf(parameter, STYLES[location])
}

/** How a property of a form is written. */
function readEncoding(encoding: JsonObject): PropertyEncoding {
  const contentType = asString(encoding.contentType)
  return {
    ...(contentType !== undefined && { contentType }),
    ...styleOf(encoding, STYLES.query),
  }
}

function styleOf(
  { style, explode }: JsonObject,
  styles: readonly ParameterStyle[],
): { readonly style?: ParameterStyle; readonly explode?: boolean } {
  const given = styles.find((one) => one === style)
  return {
    ...(given !== undefined && given !== styles[0] && { style: given }),
    ...(typeof explode === 'boolean' && { explode }),
  }
}
