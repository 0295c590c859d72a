import { type CodeKeywordDefinition, Name } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import type { Schema } from '../contract/contract.ts'
import type { JsonObject } from '../document/json-value.ts'
import { createAjv, hasInheritedName, linkKeyword } from '../document/schemas/ajv.ts'
import { createSchemaWriter, GROUP, isChecked, LINK } from '../document/schemas/write-schema.ts'
import { UsageError } from '../validation/usage-error.ts'
import { escapeInvisible } from './print-literal.ts'
import { shareSchemas } from './share-schemas.ts'

/** The validators of schemas as JavaScript. */
export interface PrintedChecks {
  /** The name of the function that validates a schema. */
  nameOf(schema: Schema): string
  /** The functions in batches, each as Ajv writes a module. What they share is loaded with `require`. */
  readonly batches: readonly string[]
}

/** How many functions one instance of Ajv writes. It keeps all of them in memory, and copies its text for each. */
const BATCH = 200

/** A check that is written. */
interface Check {
  readonly name: string
  readonly tree: JsonObject
}

/**
 * Prints a validator for each schema. Equal schemas share a validator, and parts that several schemas have, or that contain
 * themselves, are functions that the other ones call.
 */
export function printChecks(schemas: readonly Schema[]): PrintedChecks {
  const shared = shareSchemas(schemas, isChecked)
  const writer = createSchemaWriter(shared.isShared, MAX_SUBSCHEMAS)
  const names = new Map<Schema, string>()
  const name = (schema: Schema): string => {
    const known = names.get(schema) ?? `check${names.size}`
    names.set(schema, known)
    return known
  }
  for (const schema of schemas) name(shared.get(schema))
  const checks: Check[] = []
  // A `for of` loop also visits what is named during the loop.
  for (const [schema, own] of names) {
    const tree = writer.write(schema)
    if (JSON.stringify(tree).includes(`"${GROUP}":`)) throw tooLarge()
    for (const id of linksIn(tree)) name(writer.schemaAt(id))
    checks.push({ name: own, tree })
  }
  const keyword = linkKeyword((id) => new Name(name(writer.schemaAt(id))))

  return {
    nameOf: (schema) => name(shared.get(schema)),
    batches: inBatches(checks).map((batch) => printBatch(batch, keyword)),
  }
}

/** A function for more subschemas of one keyword takes too long to write. */
const MAX_SUBSCHEMAS = 1000

function tooLarge(): UsageError {
  return new UsageError({
    code: 'invalid_contract',
    task: 'compile the document',
    reason: `a schema has more than ${MAX_SUBSCHEMAS} subschemas of one keyword, such as "oneOf"`,
    help: 'Compile some operations with --operations, or load the document with loadContract().',
  })
}

/** The numbers of the links of a tree. */
function linksIn(tree: unknown): readonly number[] {
  const links: number[] = []
  JSON.stringify(tree, (key, value: unknown) => {
    if (key === LINK && typeof value === 'number') links.push(value)
    return value
  })
  return links
}

/** Validators without inherited names are apart, because they can be faster. */
function inBatches(checks: readonly Check[]): readonly (readonly Check[])[] {
  const hasInherited = ({ tree }: Check): boolean => hasInheritedName(JSON.stringify(tree))
  const inherited = new Set(checks.filter(hasInherited))
  const groups = [checks.filter((check) => !inherited.has(check)), [...inherited]]

  return groups.flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / BATCH) }, (_value, index) =>
      group.slice(index * BATCH, (index + 1) * BATCH),
    ),
  )
}

function printBatch(batch: readonly Check[], keyword: CodeKeywordDefinition): string {
  const ajv = createAjv({
    code: { source: true, esm: true, lines: true },
    ownProperties: batch.some(({ tree }) => hasInheritedName(JSON.stringify(tree))),
  }).addKeyword(keyword)
  // No function has to tell its callers what it evaluates, because links hide it. This makes the text a third shorter.
  ajv.opts.unevaluated = batch.some(({ tree }) => JSON.stringify(tree).includes('"unevaluated'))
  ajv.opts.dynamicRef = false
  for (const { name, tree } of batch) ajv.addSchema(tree, name)
  const text = standalone.default(ajv, Object.fromEntries(batch.map(({ name }) => [name, name])))

  return escapeInvisible(text).replaceAll(PATTERN, withValidFlags)
}

/** A line in which Ajv declares a regular expression. */
const PATTERN = /^(const pattern\d+ = new RegExp\()(".*"), "u"\);$/gm

/** Many real patterns, such as `[\w-.]`, are invalid with the `u` flag. */
function withValidFlags(line: string, start: string, pattern: string): string {
  try {
    new RegExp(JSON.parse(pattern), 'u')
    return line
  } catch {
    return `${start}${pattern});`
  }
}

/** A line in which Ajv exports a function. */
const EXPORT = /^export const (check\d+) = (validate\d+);$/gm

/** Gives each batch a scope of its own, because their constants have the same names. `keyword` declares the functions. */
export function inBlocks(batches: readonly string[], keyword: 'export let' | 'let'): string {
  return batches
    .flatMap((batch) => {
      const names = [...batch.matchAll(EXPORT)].map(([, name]) => name)
      const text = batch.replace(/^"use strict";/, '').replaceAll(EXPORT, '$1 = $2;')
      return [`${keyword} ${names.join(', ')}`, `{${text}}`]
    })
    .join('\n')
}
