import {
  _,
  type Code,
  type CodeGen,
  type CodeKeywordDefinition,
  type KeywordCxt,
  Name,
  str,
} from 'ajv'
import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/is-object.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import { isSchemaList, isSchemaMap, isSingleSchema, subschemasOf } from './subschemas.ts'

/** The keyword that takes the place of a shared schema: its value is the number of that schema. */
export const LINK = 'linkedSchema'

/**
 * The keyword that calls the function of a shared schema. Its errors are added to those of the calling function one by one: Ajv's own
 * keywords copy all earlier errors for each call, which takes minutes for a list of 50,000 invalid items.
 */
export function linkKeyword(functionOf: (id: number, gen: CodeGen) => Code): CodeKeywordDefinition {
  const path = new Name('instancePath')
  const vErrors = new Name('vErrors')
  return {
    keyword: LINK,
    schemaType: 'number',
    code(context: KeywordCxt): void {
      const { data, gen, it, schema } = context
      const check = functionOf(Number(schema), gen)
      const isValid = _`${check}(${data}, {instancePath: ${str`${path}${it.errorPath}`}})`
      context.result(isValid, undefined, () => {
        gen.if(
          _`${vErrors} === null`,
          () => gen.assign(vErrors, _`${check}.errors`),
          () =>
            gen.forOf('error', _`${check}.errors`, (error) =>
              gen.code(_`${vErrors}.push(${error})`),
            ),
        )
        gen.assign(new Name('errors'), _`${vErrors}.length`)
      })
    },
  }
}

/** Writes schemas of a graph as trees that Ajv can compile. */
export interface SchemaWriter {
  /** A schema as a tree. Shared schemas in it are links. */
  write(schema: Schema): JsonObject
  /** The schema of a link. */
  schemaAt(id: number): Schema
}

/** Keywords that mean nothing for a validation. */
const UNCHECKED: ReadonlySet<string> = new Set([
  ...['default', 'readOnly', 'writeOnly', 'discriminator', 'contentEncoding', 'contentMediaType'],
  ...['xml', 'example', 'examples'],
])

/** Whether a keyword means anything for a validation. */
export function isChecked(keyword: string): boolean {
  return !UNCHECKED.has(keyword) && !keyword.startsWith('x-')
}

/** The keywords whose subschemas apply to the same value. */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
])

/** Whether the subschemas of a keyword apply to the same value as the schema itself. */
export function isInPlace(keyword: string): boolean {
  return IN_PLACE.has(keyword)
}

export function createSchemaWriter(isShared: (schema: Schema) => boolean): SchemaWriter {
  const ids = new Map<Schema, number>()
  const schemas: Schema[] = []

  function idOf(schema: Schema): number {
    const id = ids.get(schema) ?? schemas.push(schema) - 1
    ids.set(schema, id)
    return id
  }

  function writeInner(value: unknown, isInPlace: boolean): unknown {
    if (!isObject(value)) return value
    const schema: Schema = value
    // `unevaluatedProperties` must see what the schemas beside it evaluate. A link would hide it.
    if (isInPlace || !isShared(schema)) return writeTree(schema, isInPlace)
    return { [LINK]: idOf(schema) }
  }

  function writeTree(schema: Schema, isVisible: boolean): JsonObject {
    const seesBranches =
      isVisible ||
      schema.unevaluatedProperties !== undefined ||
      schema.unevaluatedItems !== undefined
    const checked = Object.entries(withPatternForPrototype(schema)).filter(([keyword]) =>
      isChecked(keyword),
    )
    return Object.fromEntries(
      checked.map(([keyword, value]) => {
        const isInPlace =
          (seesBranches && IN_PLACE.has(keyword)) || isComparedType(schema, keyword, value)
        return [keyword, writeValue(keyword, value, (inner) => writeInner(inner, isInPlace))]
      }),
    )
  }

  return {
    write: (schema) => writeTree(schema, false),
    schemaAt: (id) => {
      const schema = schemas[id]
      if (schema) return schema
      throw new TypeError(`There is no schema ${id}`)
    },
  }
}

/** Ajv ignores a property with this name, but not a pattern that matches the name. */
const PROTOTYPE = '__proto__'

function withPatternForPrototype(schema: Schema): JsonObject {
  const { properties = {}, patternProperties } = schema
  if (!Object.hasOwn(properties, PROTOTYPE)) return schema
  const others = Object.entries(properties).filter(([name]) => name !== PROTOTYPE)
  const patterns = { ...asObject(patternProperties), [`^${PROTOTYPE}$`]: properties[PROTOTYPE] }

  return { ...schema, properties: Object.fromEntries(others), patternProperties: patterns }
}

/** Whether these are items without subschemas of `uniqueItems`, which compares values faster when it sees their type. */
function isComparedType({ uniqueItems }: Schema, keyword: string, value: unknown): boolean {
  return (
    uniqueItems === true &&
    keyword === 'items' &&
    isObject(value) &&
    subschemasOf(value).length === 0
  )
}

function writeValue(keyword: string, value: unknown, write: (schema: unknown) => unknown): unknown {
  if (Array.isArray(value)) return isSchemaList(keyword) ? value.map(write) : value
  if (!isSchemaMap(keyword) || !isObject(value))
    return isSingleSchema(keyword) ? write(value) : value

  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, write(inner)]))
}
