import { isObject, setOwn } from '../../validation/objects.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import { membersWithoutType } from './contradicted-type.ts'
import { withBranchValues } from './discriminator.ts'
import { withIgnoredNames } from './ignored-names.ts'
import { withItemsEnum } from './items-enum.ts'
import { isPattern } from './regular-expression.ts'
import { withNull } from './schema-dialect.ts'
import { isHint, KEYWORDS } from './schema-keywords.ts'
import { isSchemaList, isSchemaMap, isSingleSchema } from './subschemas.ts'

/** A schema that is being built. */
export type Draft = Record<string, unknown>

/** How {@link readKeywords} builds the parts of a schema. */
export interface KeywordReader {
  /** Builds a subschema. */
  readonly build: (schema: unknown) => Draft
  /** Builds a branch (`allOf`, `anyOf`, `oneOf`), which describes the same value. */
  readonly buildBranch: (schema: unknown) => Draft
  /** Whether the schema describes requests. */
  readonly isRequest: boolean
  /** Whether a value of the keyword `nullable` adds `null` to the values. */
  readonly isNullable: (nullable: unknown) => boolean
  /** Whether the messages of this direction do not have the property. */
  readonly isRemoved: (name: string, schema?: unknown) => boolean
  /** Gets each keyword whose value means nothing. */
  readonly onInvalid: (keyword: string, value: unknown, expected: string) => void
  /** Gets each key of `patternProperties` that is no regular expression. */
  readonly onInvalidPattern: (pattern: string) => void
}

/** The keywords of a schema that the sandbox uses, with their subschemas built. Branches come last. */
export function readKeywords(given: JsonObject, reader: KeywordReader): Draft {
  const schema = withItemsEnum(given)
  if (schema !== given) reader.onInvalid('enum', given.enum, 'a list of lists beside "type: array"')
  const kept: Draft = {}
  const branches: Draft = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const read = isHint(keyword) ? value : readKnown(keyword, value, reader)
    if (read !== undefined) (BRANCHES.has(keyword) ? branches : kept)[keyword] = read
  }
  const members = membersWithoutType(kept.type, kept.enum)
  if (members) {
    reader.onInvalid('type', kept.type, 'a type that a member of "enum" has')
    delete kept.type
    kept.enum = members
  }
  const named = reader.isRequest ? withIgnoredNames(kept, removedNames(schema, reader)) : kept
  const complete: Draft = { ...withBranchValues({ ...named, ...branches }, schema) }

  return reader.isNullable(schema.nullable) ? { ...withNull(complete) } : complete
}

const BRANCHES: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])

/** The value of a keyword that the sandbox uses; `undefined` when it is not one of them, or its value means nothing. */
function readKnown(keyword: string, given: unknown, reader: KeywordReader): unknown {
  const rule = KEYWORDS.get(keyword)
  if (!rule) return undefined
  const value = keyword === 'patternProperties' ? withoutInvalidPatterns(given, reader) : given
  if (rule.isValid(value)) return readValue(keyword, value, reader)
  if (!isHarmless(keyword, value)) reader.onInvalid(keyword, value, rule.expected)
  return undefined
}

function withoutInvalidPatterns(value: unknown, { onInvalidPattern }: KeywordReader): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([pattern]) => {
    const isValid = isPattern(pattern)
    if (!isValid) onInvalidPattern(pattern)
    return isValid
  })
  return Object.fromEntries(entries)
}

/** The value of a keyword; `undefined` when nothing of it is left. */
function readValue(keyword: string, value: unknown, reader: KeywordReader): unknown {
  const { build, buildBranch, isRemoved } = reader
  if (keyword === 'required') return readRequired(value, isRemoved)
  if (isSchemaMap(keyword)) {
    const isLeftOut = keyword === 'properties' ? isRemoved : () => false
    return readMap(value, build, isLeftOut)
  }
  if (Array.isArray(value) && isSchemaList(keyword)) {
    return value.map(BRANCHES.has(keyword) ? buildBranch : build)
  }
  return isSingleSchema(keyword) && isObject(value) ? build(value) : value
}

function removedNames({ properties }: JsonObject, { isRemoved }: KeywordReader): readonly string[] {
  const entries = Object.entries(asObject(properties))
  return entries.filter(([name, inner]) => isRemoved(name, inner)).map(([name]) => name)
}

function readRequired(value: unknown, isRemoved: KeywordReader['isRemoved']): unknown {
  const names = [value].flat().filter((name) => typeof name === 'string')
  const required = [...new Set(names)].filter((name) => !isRemoved(name))

  return required.length > 0 ? required : undefined
}

function readMap(
  value: unknown,
  build: KeywordReader['build'],
  isLeftOut: KeywordReader['isRemoved'],
): Draft {
  const map: Draft = {}
  for (const [name, inner] of Object.entries(asObject(value))) {
    if (!isLeftOut(name, inner)) setOwn(map, name, build(inner))
  }
  return map
}

/** Values of keywords that real documents write to mean nothing. */
function isHarmless(keyword: string, value: unknown): boolean {
  if (value === null) return true
  return keyword === 'required' && typeof value === 'boolean'
}
