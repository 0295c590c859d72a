import type { Schema } from '../contract/contract.ts'
import {
  escapeKey,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
} from '../contract/schema.ts'
import { isFreeText } from './comparisons.ts'
import { isSameWord } from './id-property.ts'
import type { QueryParameter } from './paging.ts'
import { shapeOf } from './path-shape.ts'

const FIELDS =
  /^(fields?|optfields|select|properties|attributes|props|only|columns|fieldmask|(only|include|included|return|response|show)(fields|properties|attributes))$/

/** Descriptions of what is shown besides, or searched. */
const OTHER = /addition|extra|expand|embed|search|sort|filter|related|relation/i

/** Descriptions of the properties that a response is limited to. */
const SAYS_FIELDS =
  /\b(fields|properties|attributes|columns) (to (be )?(include|return|show|retrieve|fetch|select)|that (should|will|are))/i

/** Descriptions of nothing but that. */
const SAYS_SHOWN =
  /\b(fields|properties|attributes|columns) (that )?(are|will be) (returned|included|shown)\b/i

/** What is known of an operation whose response shows records. */
interface FieldsContext {
  readonly parameters: readonly QueryParameter[]
  readonly path: string
  /** The description of a parameter. */
  readonly describe: (parameter: string) => string
}

/** The query parameter that names the properties which a response shows; `undefined` when there is none. */
export function inferFields(
  { parameters, path, describe }: FieldsContext,
  recordSchema: Schema,
): string | undefined {
  const names = new Set([...propertiesOf(recordSchema).keys()].map(plainName))
  const chooses = (plain: string, values: Schema, description: string): boolean => {
    const isCalled = FIELDS.test(plain) || (plain === 'include' && SAYS_FIELDS.test(description))
    if (!isCalled || names.has(plain)) return false
    if (OTHER.test(description) && !SAYS_SHOWN.test(description)) return false
    const listed = listedValues(values).map((value) => plainName(String(value)))
    const isNamed = isFreeText(values) || listed.some((value) => names.has(value))
    return isNamed && !typesIn(values).has('object')
  }
  for (const { parameter, plain } of parameters) {
    const { name, required, schema } = parameter
    const values = itemsOf(schema) ?? schema
    if (!required && chooses(plain, values, describe(name))) return name
    const own = ofType(name, schema, path)
    if (own !== undefined) return own
  }
  return undefined
}

/** `fields[books]` of JSON:API, which names the properties of the books alone, also as a property of `fields`. */
function ofType(name: string, schema: Schema, path: string): string | undefined {
  const words = shapeOf(path)
    .path.split('/')
    .filter((part) => !part.includes('{'))
  const isOwn = (type: string): boolean =>
    isSameWord(plainName(type), plainName(words.at(-1) ?? ''))
  const [, type] = /^fields\[([^\]]+)\]$/.exec(name) ?? []
  if (type !== undefined) return isOwn(type) ? name : undefined
  const inner = name === 'fields' ? [...propertiesOf(schema).keys()].find(isOwn) : undefined

  return inner === undefined ? undefined : `${name}[${inner}]`
}

const EXPAND = /^(expand|expands|expansions?|includes?|embed|populate|with)$/

/**
 * The query parameter that names references to show as records, or the place of a list in the request that does; `undefined` when there is
 * none, or no property may be both an id and an object.
 */
export function inferExpand(
  parameters: readonly QueryParameter[],
  recordSchema: Schema,
  sent: Schema = {},
): string | undefined {
  const hasReference = [...propertiesOf(recordSchema).values()].some((property) =>
    isExpandable(itemsOf(property) ?? property),
  )
  const found = parameters.find(({ parameter, plain }) => {
    const values = itemsOf(parameter.schema) ?? parameter.schema
    return EXPAND.test(plain) && typesIn(values).has('string')
  })
  const inBody = [...propertiesOf(sent)].find(
    ([name, schema]) => EXPAND.test(plainName(name)) && isListOfNames(schema),
  )
  if (!hasReference) return undefined
  return found?.parameter.name ?? (inBody && `/${escapeKey(inBody[0])}`)
}

function isListOfNames(schema: Schema): boolean {
  const items = itemsOf(schema)
  return items !== undefined && typesIn(items).has('string') && !isObjectSchema(items)
}

/** Whether a value is an id or the object with that id. */
function isExpandable(schema: Schema): boolean {
  const types = typesIn(schema)
  return (types.has('string') || types.has('integer')) && isObjectSchema(schema)
}
