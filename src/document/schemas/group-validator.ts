import type { ErrorObject } from 'ajv'
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js'
import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { asArray, asObject } from '../json-value.ts'
import { toRegExp } from './ajv.ts'
import { createDecide } from './decide.ts'
import { PROTOTYPE } from './write-schema.ts'

/** When so many errors were found, a subschema that does not match adds no further ones. */
const MAX_ERRORS = 20

/** Of so many branches that were probably meant, the errors are reported. */
const MAX_NEAR = 5

/** The functions of schemas. */
interface LinkedSchemas {
  /** Calls the function of a schema. */
  link(schema: Schema): DataValidateFunction
  /** Whether a schema has no function yet and cannot get one now. Then the validation is repeated when it has one. */
  isMissing(schema: Schema): boolean
}

/**
 * Creates a function that validates a value by keywords with many subschemas. A subschema whose plain keywords decide needs no
 * function, so few of thousands are compiled.
 */
export function createGroupValidator(
  schema: Schema,
  keywords: readonly string[],
  linked: LinkedSchemas,
): DataValidateFunction {
  const validate: DataValidateFunction = (value, context) => {
    const group = new Group(linked, context)
    for (const keyword of keywords) group.check(keyword, schema, value)
    validate.errors = group.errors

    return group.errors.length === 0
  }
  return validate
}

/** One validation. */
class Group {
  readonly errors: Partial<ErrorObject>[] = []
  readonly #linked: LinkedSchemas
  readonly #context: DataValidationCxt | undefined
  readonly #decide = createDecide()

  constructor(linked: LinkedSchemas, context: DataValidationCxt | undefined) {
    this.#linked = linked
    this.#context = context
  }

  check(keyword: string, schema: Schema, value: unknown): void {
    if (keyword === 'anyOf') this.#checkAny(schema.anyOf ?? [], value)
    else if (keyword === 'oneOf') this.#checkOne(schema.oneOf ?? [], value)
    else this.#checkAll(appliedBy(keyword, schema, value))
  }

  #checkAll(applied: Iterable<Applied>): void {
    for (const [schema, part, key] of applied) {
      const isMatch = this.#decide(schema, part)
      if (isMatch === true) continue
      const isTold = isMatch === undefined || this.errors.length < MAX_ERRORS
      if (isTold) this.#call(schema, part, key)
    }
  }

  #checkAny(branches: readonly Schema[], value: unknown): void {
    const { matching, undecided } = this.#decided(branches, value)
    if (matching.length > 0 || undecided === 'later') return
    const found: Partial<ErrorObject>[] = []
    for (const at of undecided) {
      const errors = this.#errorsOf(branches[at] ?? {}, value)
      if (errors.length === 0) return
      if (found.length < MAX_ERRORS) found.push(...errors)
    }
    const own = this.#error('anyOf', {}, 'must match a schema in anyOf')
    this.errors.push(...found, ...this.#nearErrors(branches, undecided, value), own)
  }

  #checkOne(branches: readonly Schema[], value: unknown): void {
    const { matching, undecided } = this.#decided(branches, value)
    if (undecided === 'later') return
    const found: Partial<ErrorObject>[] = []
    for (const at of undecided) {
      if (matching.length > 1) break
      const errors = this.#errorsOf(branches[at] ?? {}, value)
      if (errors.length === 0) matching.push(at)
      else if (found.length < MAX_ERRORS) found.push(...errors)
    }
    if (matching.length === 1) return
    const passingSchemas = matching.length > 1 ? matching.slice(0, 2) : null
    const own = this.#error('oneOf', { passingSchemas }, 'must match exactly one schema in oneOf')
    const near = passingSchemas ? [] : this.#nearErrors(branches, undecided, value)
    this.errors.push(...found, ...near, own)
  }

  /** The errors of the branches that were probably meant: the value has what they require, and the constants that they name. */
  #nearErrors(
    branches: readonly Schema[],
    undecided: readonly number[],
    value: unknown,
  ): readonly Partial<ErrorObject>[] {
    const others = new Set(undecided)
    const near = branches.filter(
      (branch, at) => !others.has(at) && this.#decide(outlineOf(branch), value) === true,
    )
    return near.slice(0, MAX_NEAR).flatMap((branch) => this.#errorsOf(branch, value))
  }

  /** The positions of the branches that match, and of those that only functions decide. */
  #decided(
    branches: readonly Schema[],
    value: unknown,
  ): { readonly matching: number[]; readonly undecided: readonly number[] | 'later' } {
    const matching: number[] = []
    const undecided: number[] = []
    for (const [at, branch] of branches.entries()) {
      const isMatch = this.#decide(branch, value)
      if (isMatch) matching.push(at)
      else if (isMatch === undefined) undecided.push(at)
    }
    if (matching.length > 1) return { matching, undecided: [] }
    // All at once, because the validation is repeated after that.
    const missing = undecided.filter((at) => this.#linked.isMissing(branches[at] ?? {}))

    return { matching, undecided: missing.length > 0 ? 'later' : undecided }
  }

  #call(schema: Schema, value: unknown, key?: string): void {
    this.errors.push(...this.#errorsOf(schema, value, key))
  }

  #errorsOf(schema: Schema, value: unknown, key?: string): readonly Partial<ErrorObject>[] {
    const link = this.#linked.link(schema)
    const { instancePath = '', ...rest } = this.#context ?? {}
    const path =
      key === undefined
        ? instancePath
        : `${instancePath}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const isValid = link(value, { ...rest, instancePath: path } as DataValidationCxt)

    return isValid === true ? [] : (link.errors ?? [])
  }

  #error(keyword: string, params: ErrorObject['params'], message: string): Partial<ErrorObject> {
    return { instancePath: this.#context?.instancePath ?? '', keyword, params, message }
  }
}

/** What tells the values of a schema from those of others. */
function outlineOf({ type, required, properties = {} }: Schema): Schema {
  const named = Object.entries(properties).flatMap(
    ([name, { const: only, enum: listed }]): [string, Schema][] => {
      if (only !== undefined) return [[name, { const: only }]]
      return listed ? [[name, { enum: listed }]] : []
    },
  )
  return {
    ...(type !== undefined && { type }),
    ...(required && { required }),
    properties: Object.fromEntries(named),
  }
}

/** A subschema, the part of the value that it applies to, and the key of that part. */
type Applied = readonly [schema: Schema, value: unknown, key?: string]

/** What a keyword applies to which part of a value. Everything of it must match. */
function* appliedBy(keyword: string, schema: Schema, value: unknown): Generator<Applied, void> {
  if (keyword === 'allOf') {
    for (const branch of schema.allOf ?? []) yield [branch, value]
  } else if (keyword === 'prefixItems') {
    if (!Array.isArray(value)) return
    const items = asArray(schema.prefixItems)
    for (const [at, item] of value.slice(0, items.length).entries()) {
      yield [asObject(items[at]), item, String(at)]
    }
  } else if (isObject(value)) {
    if (keyword === 'additionalProperties') yield* appliedToOthers(schema, value)
    else if (keyword === 'patternProperties') yield* appliedByPattern(schema, value)
    else yield* appliedByName(keyword, asObject(schema[keyword]), value)
  }
}

function* appliedToOthers(
  { properties = {}, patternProperties, additionalProperties: others }: Schema,
  object: Readonly<Record<string, unknown>>,
): Generator<Applied, void> {
  const patterns = Object.keys(asObject(patternProperties)).map((one) => toRegExp(one, 'u'))
  for (const [name, part] of Object.entries(object)) {
    if (Object.hasOwn(properties, name) || patterns.some((one) => one.test(name))) continue
    yield [others === false ? { not: {} } : asObject(others), part, name]
  }
}

function* appliedByPattern(
  { patternProperties }: Schema,
  object: Readonly<Record<string, unknown>>,
): Generator<Applied, void> {
  for (const [pattern, inner] of Object.entries(asObject(patternProperties))) {
    const expression = toRegExp(pattern, 'u')
    for (const [name, part] of Object.entries(object)) {
      if (expression.test(name)) yield [asObject(inner), part, name]
    }
  }
}

function* appliedByName(
  keyword: string,
  schemas: Readonly<Record<string, unknown>>,
  object: Readonly<Record<string, unknown>>,
): Generator<Applied, void> {
  for (const [name, part] of Object.entries(object)) {
    // A pattern stands for this one.
    if (name === PROTOTYPE || !Object.hasOwn(schemas, name) || part === undefined) continue
    const inner = asObject(schemas[name])
    yield keyword === 'properties' ? [inner, part, name] : [inner, object]
  }
}
