import type { Schema, ValidationError } from '../contract/contract.ts'
import { sizeClause } from '../contract/validation-errors.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import { schemaMapOf, schemaOf, schemasOf, textsOf, typesOf } from './keywords.ts'
import { CHECKS, matches } from './matches.ts'

/** The clauses of keywords that compare a value with the one that the keyword holds, in the words of Ajv. */
const COMPARISONS: Readonly<Record<string, string>> = {
  minimum: 'must be >=',
  maximum: 'must be <=',
  exclusiveMinimum: 'must be >',
  exclusiveMaximum: 'must be <',
  multipleOf: 'must be multiple of',
  pattern: 'must match pattern',
  format: 'must match format',
}

/**
 * What is wrong with a value that does not match a schema, as a validator reports it. It needs no compiled validator, so every
 * part of a schema can be checked.
 */
export function findMistakes(
  schema: Schema,
  value: unknown,
  path = '',
): readonly ValidationError[] {
  const mistake = (keyword: string, more: Partial<ValidationError> = {}): ValidationError => ({
    instancePath: path,
    keyword,
    params: {},
    ...more,
  })

  return violated(schema, value).flatMap((keyword): readonly ValidationError[] => {
    switch (keyword) {
      case 'type':
        return [mistake(keyword, { params: { type: typesOf(schema) } })]
      case 'enum':
        return [mistake(keyword, { params: { allowedValues: schema.enum } })]
      case 'const':
        return [mistake(keyword, { params: { allowedValue: schema.const } })]
      case 'required':
        return textsOf(schema, 'required')
          .filter((name) => !Object.hasOwn(Object(value), name))
          .map((name) => mistake(keyword, { params: { missingProperty: name } }))
      case 'properties':
        return schemaMapOf(schema, 'properties').flatMap(([name, inner]) =>
          findInside(inner, value, name, path),
        )
      case 'items': {
        const items = schemaOf(schema, 'items')
        const list = Array.isArray(value) ? value : []
        return items ? list.flatMap((_, at) => findInside(items, value, String(at), path)) : []
      }
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return findInBranches(schemasOf(schema, keyword), value, path)
      default:
        return [mistake(keyword, { message: clauseOf(keyword, schema) })]
    }
  })
}

/** The keywords of a schema that a value does not match. */
function violated(schema: Schema, value: unknown): readonly string[] {
  return Object.keys(schema).filter((keyword) => {
    const isMet = getOwn(CHECKS, keyword)
    return isMet !== undefined && !isMet(value, schema, matches)
  })
}

/** The mistakes of one property or item of a value. */
function findInside(
  schema: Schema,
  value: unknown,
  name: string,
  path: string,
): readonly ValidationError[] {
  if (!(isObject(value) || Array.isArray(value)) || !Object.hasOwn(value, name)) return []
  const part = Reflect.get(value, name)
  if (matches(schema, part)) return []

  return findMistakes(schema, part, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

/** The mistakes of each branch that refuses the value. */
function findInBranches(
  branches: readonly Schema[],
  value: unknown,
  path: string,
): readonly ValidationError[] {
  return branches
    .filter((branch) => !matches(branch, value))
    .flatMap((branch) => findMistakes(branch, value, path))
}

/** What a keyword demands, in the words of a validator's errors. */
function clauseOf(keyword: string, schema: Schema): string {
  const limit = JSON.stringify(schema[keyword])
  const comparison = getOwn(COMPARISONS, keyword)
  if (comparison !== undefined) return `${comparison} ${limit}`

  if (keyword === 'uniqueItems') return 'must NOT have duplicate items'
  return sizeClause(keyword, schema[keyword]) ?? `must match "${keyword}"`
}
