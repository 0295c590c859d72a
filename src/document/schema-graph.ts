import type { Schema } from '../contract/contract.ts'
import { isObject } from '../validation/is-object.ts'
import { setOwn } from '../validation/own-property.ts'
import { type Direction, isMarked, markedNames, REMOVED_BY } from './direction.ts'
import { type Document, refTarget } from './document.ts'
import { LoopBreaker } from './in-place-loops.ts'
import { asObject, type JsonObject, refOf } from './json-value.ts'
import { toCurrentDialect, withNull } from './schema-dialect.ts'
import { KEYWORDS } from './schema-keywords.ts'
import { isSchemaList, isSchemaMap, isSingleSchema } from './subschemas.ts'

/** A keyword of a schema that the sandbox does not use, because it means nothing. */
export interface SchemaMistake {
  /** The object of the document. */
  readonly object: JsonObject
  readonly keyword?: string
  readonly reason: string
  readonly assumed: string
  readonly help: string
}

/** The schemas of a document as objects that share their parts. */
export interface SchemaGraph {
  /**
   * The schema for requests or for responses at a place of the document. A `$ref` is the target itself, so a schema that contains
   * itself is a cyclic object. Each target becomes one schema, however many places refer to it.
   */
  schemaOf(value: unknown, direction: Direction): Schema
  /** Whether a schema is the target of a `$ref`. */
  isShared(schema: Schema): boolean
}

/** A schema that is being built. */
type Draft = Record<string, unknown>

/** A schema that is made of another one. */
interface Merge {
  readonly base: Draft
  /** The keywords that are added. */
  readonly own: Draft
  readonly isNullable?: true
}

/** A property name that a schema must not have, because a branch beside it marks it for the other direction. */
type Removed = ReadonlySet<string>

const NONE: Removed = new Set()

/** Creates the schemas of a document when they are first asked for. `report` gets each mistake once. */
export function createSchemaGraph(
  document: Document,
  report: (mistake: SchemaMistake) => void,
): SchemaGraph {
  const graph = new Graph(document, report)

  return {
    schemaOf: (value, direction) => graph.schemaOf(value, direction),
    isShared: (schema) => graph.shared.has(schema),
  }
}

class Graph {
  /** Schemas to which several places refer. */
  readonly shared = new WeakSet<object>()
  readonly #document: Document
  readonly #report: (mistake: SchemaMistake) => void
  readonly #ignoresSiblings: boolean
  /** The schemas by direction, removed names and object of the document. */
  readonly #drafts = new Map<string, Map<unknown, Draft>>()
  /** Targets that have no content yet. Filling them one after another keeps the stack short. */
  readonly #empty: (() => void)[] = []
  /** Schemas that get the keywords of their target when it is complete. */
  readonly #merges = new Map<Draft, Merge>()
  /** What was built since the last check for loops. */
  #fresh: Draft[] = []
  readonly #loops = new LoopBreaker((draft) => this.#reportLoop(draft))
  /** The object of the document that each schema was built from. */
  readonly #origins = new WeakMap<Draft, JsonObject>()
  /** The property names that targets mention. */
  readonly #mentioned = new WeakMap<JsonObject, ReadonlySet<string>>()

  constructor(document: Document, report: (mistake: SchemaMistake) => void) {
    this.#document = document
    this.#report = report
    this.#ignoresSiblings = String(document.root.openapi).startsWith('3.0')
  }

  schemaOf(value: unknown, direction: Direction): Schema {
    const draft = this.#build(value, direction, NONE)
    for (let fill = this.#empty.pop(); fill; fill = this.#empty.pop()) fill()
    for (const merged of this.#merges.keys()) this.#merge(merged)
    this.#loops.break(this.#fresh)
    this.#fresh = []

    return draft
  }

  #build(value: unknown, direction: Direction, removed: Removed): Draft {
    if (value === false) return { not: {} }
    if (!isObject(value)) return {}
    const drafts = this.#draftsOf(direction, removed)
    const known = drafts.get(value)
    if (known) return known
    const target = this.#soleTarget(value)
    if (target) return this.#target(target, direction, removed)

    const draft: Draft = {}
    drafts.set(value, draft)
    this.#fill(draft, value, direction, removed)

    return draft
  }

  #draftsOf(direction: Direction, removed: Removed): Map<unknown, Draft> {
    const key = [direction, ...[...removed].sort()].join('\n')
    const drafts = this.#drafts.get(key) ?? new Map<unknown, Draft>()
    this.#drafts.set(key, drafts)

    return drafts
  }

  /** The target of an object that is only a `$ref`. */
  #soleTarget(value: JsonObject): JsonObject | undefined {
    if (refOf(value) === undefined || Object.keys(this.#siblingsOf(value)).length > 0)
      return undefined
    const target = refTarget(this.#document, value)?.value

    return isObject(target) ? target : undefined
  }

  /** The schema of a target, which is filled later: there may be any number of references in a row. */
  #target(value: JsonObject, direction: Direction, removed: Removed): Draft {
    const relevant = removed.size === 0 ? NONE : this.#relevant(removed, value)
    const drafts = this.#draftsOf(direction, relevant)
    const known = drafts.get(value)
    if (known) {
      this.shared.add(known)
      return known
    }
    const draft: Draft = {}
    drafts.set(value, draft)
    this.shared.add(draft)
    this.#empty.push(() => this.#fill(draft, value, direction, relevant))

    return draft
  }

  /** The names that a branch, or a branch of it, mentions. Without any, it can be shared as it is. */
  #relevant(removed: Removed, value: JsonObject): Removed {
    const mentioned = this.#mentioned.get(value) ?? this.#namesIn(value, new Set())
    this.#mentioned.set(value, mentioned)
    const names = [...removed].filter((name) => mentioned.has(name))

    return names.length === 0 ? NONE : new Set(names)
  }

  #namesIn(value: unknown, visited: Set<unknown>): Set<string> {
    const names = new Set<string>()
    if (!isObject(value) || visited.has(value)) return names
    visited.add(value)
    for (const name of Object.keys(asObject(value.properties))) names.add(name)
    for (const name of [value.required].flat()) names.add(String(name))
    const branches = [
      refTarget(this.#document, value)?.value,
      value.allOf,
      value.anyOf,
      value.oneOf,
    ]
    for (const branch of branches.flat()) {
      for (const name of this.#namesIn(branch, visited)) names.add(name)
    }
    return names
  }

  /** Keywords beside a `$ref`. OpenAPI 3.0 ignores them, except extensions. */
  #siblingsOf(value: JsonObject): JsonObject {
    const { $ref: _, ...siblings } = toCurrentDialect(value)
    const used = Object.entries(siblings).filter(
      ([name]) =>
        isHint(name) ||
        (!this.#ignoresSiblings && (KEYWORDS.has(name) || name === 'nullable')) ||
        // A hint of ours: `x-sandbox: { default }`.
        (name === 'default' && isObject(value['x-sandbox'])),
    )
    return Object.fromEntries(used)
  }

  #fill(draft: Draft, value: JsonObject, direction: Direction, removed: Removed): void {
    this.#fresh.push(draft)
    this.#origins.set(draft, value)
    if (refOf(value) === undefined) {
      const { only, siblings } = nullableRef(value)
      if (!only) {
        Object.assign(draft, this.#keywords(value, toCurrentDialect(value), direction, removed))
        return
      }
      const own = this.#keywords(value, toCurrentDialect(siblings), direction, removed)
      this.shared.add(draft)
      this.#merges.set(draft, {
        base: this.#build(only, direction, removed),
        own,
        isNullable: true,
      })
      return
    }
    const target = refTarget(this.#document, value)?.value
    const own = this.#keywords(value, this.#siblingsOf(value), direction, removed)
    if (!isObject(target)) {
      Object.assign(draft, own)
      return
    }
    const base = this.#target(target, direction, removed)
    this.shared.add(draft)
    this.#merges.set(draft, { base, own })
  }

  /** Gives a schema the keywords of its target, and those beside the `$ref`. */
  #merge(draft: Draft): Draft {
    const merge = this.#merges.get(draft)
    if (!merge) return draft
    this.#merges.delete(draft)
    const { own } = merge
    const base = this.#merge(merge.base)
    const isMergeable = Object.keys(own).every(
      (key) => ANNOTATIONS.has(key) || isHint(key) || !Object.hasOwn(base, key),
    )
    const branches = Array.isArray(own.allOf) ? own.allOf : []
    const merged = isMergeable ? { ...base, ...own } : { ...own, allOf: [base, ...branches] }
    Object.assign(draft, merge.isNullable ? withNull(merged) : merged)

    return draft
  }

  /** The keywords of a schema, with its subschemas built. */
  #keywords(object: JsonObject, schema: JsonObject, direction: Direction, removed: Removed): Draft {
    const keyword = REMOVED_BY[direction]
    const names = new Set([...removed, ...markedNames(schema, keyword, this.#document)])
    const kept: Draft = {}
    const branches: Draft = {}
    for (const [key, value] of Object.entries(schema)) {
      const rule = KEYWORDS.get(key)
      if (isHint(key)) setOwn(kept, key, value)
      if (!rule) continue
      if (!rule.isValid(value)) {
        if (!isHarmless(key, value)) this.#reportKeyword(object, key, value, rule.expected)
        continue
      }
      if (key === 'required') {
        const sent = (value as unknown[]).filter((name) => typeof name === 'string')
        const required = [...new Set(sent)].filter((name) => !names.has(name))
        if (required.length > 0) kept.required = required
      } else if (key === 'properties') {
        kept.properties = this.#map(
          value,
          direction,
          (name, inner) => names.has(name) || isMarked(inner, keyword, this.#document),
        )
      } else if (BRANCHES.has(key)) {
        branches[key] = (value as unknown[]).map((inner) => this.#build(inner, direction, names))
      } else if (isSchemaMap(key)) kept[key] = this.#map(value, direction)
      else if (isSchemaList(key)) {
        kept[key] = (value as unknown[]).map((inner) => this.#build(inner, direction, NONE))
      } else if (isSingleSchema(key) && typeof value !== 'boolean') {
        kept[key] = this.#build(value, direction, NONE)
      } else kept[key] = value
    }
    const complete = { ...kept, ...branches }
    return schema.nullable === true ? { ...withNull(complete) } : complete
  }

  #map(
    value: unknown,
    direction: Direction,
    isRemoved: (name: string, schema: unknown) => boolean = () => false,
  ): Draft {
    const map: Draft = {}
    for (const [name, inner] of Object.entries(asObject(value))) {
      if (isRemoved(name, inner)) continue
      setOwn(map, name, this.#build(inner, direction, NONE))
    }
    return map
  }

  #reportLoop(draft: Draft): void {
    this.#report({
      object: this.#origins.get(draft) ?? {},
      reason: 'the schema applies itself to the same value, so validation never ends',
      assumed: 'it accepts anything there',
      help: 'Remove a $ref, or move it below "properties" or "items".',
    })
  }

  #reportKeyword(object: JsonObject, keyword: string, value: unknown, expected: string): void {
    const text = JSON.stringify(value) ?? String(value)
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
    this.#report({
      object,
      keyword,
      reason: `"${keyword}" must be ${expected} (got ${shown})`,
      assumed: 'the keyword is ignored',
      help: 'Correct the value.',
    })
  }
}

/** OpenAPI 3.0 documents write `allOf` with one `$ref` to put `nullable` next to it. */
function nullableRef(value: JsonObject): {
  readonly only?: unknown
  readonly siblings: JsonObject
} {
  const { allOf, nullable, ...siblings } = value
  const [only, ...others] = Array.isArray(allOf) ? allOf : []
  const isNullable = nullable === true && refOf(only) !== undefined && others.length === 0

  return isNullable ? { only, siblings } : { siblings: value }
}

/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['default', 'readOnly', 'writeOnly'])

const BRANCHES: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])

/** The extension that says how a value is generated. */
function isHint(keyword: string): boolean {
  return keyword === 'x-faker'
}

/** Values of keywords that real documents write to mean nothing. */
function isHarmless(keyword: string, value: unknown): boolean {
  if (value === null) return true
  return keyword === 'required' && typeof value === 'boolean'
}
