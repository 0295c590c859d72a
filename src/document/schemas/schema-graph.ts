import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { type Document, refTarget } from '../document.ts'
import { asArray, asObject, type JsonObject, refOf } from '../json-value.ts'
import { type Direction, isMarked, MentionedNames, markedNames, REMOVED_BY } from './direction.ts'
import { LoopBreaker } from './in-place-loops.ts'
import { type Draft, isHint, KEYWORDS, readKeywords, referredBy } from './read-keywords.ts'
import { addsNull, toCurrentDialect, withNull } from './schema-dialect.ts'
import {
  cutMistake,
  forbiddenProperty,
  invalidKeyword,
  invalidPattern,
  type SchemaMistake,
} from './schema-mistake.ts'
import { DESCRIBED } from './write-schema.ts'

/** The schemas of a document as objects that share their parts. */
export interface SchemaGraph {
  /**
   * The schema for requests or for responses at a place of the document. A `$ref` is the target itself, so a schema that contains
   * itself is a cyclic object. Each target becomes one schema, however many places refer to it.
   */
  schemaOf(value: unknown, direction: Direction): Schema
  /** Whether a schema is the target of a `$ref`. */
  isShared(schema: Schema): boolean
  /** The name of a schema among the components of the document; `undefined` for another schema. */
  nameOf(schema: Schema): string | undefined
}

/** A property name that a schema must not have, because a branch beside it marks it for the other direction. */
type Removed = ReadonlySet<string>

const NONE: Removed = new Set()

/** How a schema is built. */
interface View {
  readonly direction: Direction
  readonly removed: Removed
  /** Whether it allows properties that it does not name, because it is a part of a schema that has them. */
  readonly isOpen: boolean
}

/** Creates the schemas of a document when they are first asked for. `report` gets each mistake once. */
export function createSchemaGraph(
  document: Document,
  report: (mistake: SchemaMistake) => void,
): SchemaGraph {
  const graph = new Graph(document, report)

  return {
    schemaOf: (value, direction) => graph.schemaOf(value, direction),
    isShared: (schema) => graph.shared.has(schema),
    nameOf: (schema) => graph.nameOf(schema),
  }
}

class Graph {
  /** Schemas to which several places refer. */
  readonly shared = new WeakSet<object>()
  readonly #document: Document
  readonly #report: (mistake: SchemaMistake) => void
  readonly #isVersion30: boolean
  /** The schemas by direction, removed names and object of the document. */
  readonly #drafts = new Map<string, Map<unknown, Draft>>()
  /** Targets that have no content yet. Filling them one after another keeps the stack short. */
  readonly #empty: (() => void)[] = []
  /** Schemas that get the keywords of their target when it is complete. */
  readonly #merges = new Map<Draft, Merge>()
  /** What was built since the last check for loops. */
  #fresh: Draft[] = []
  readonly #loops = new LoopBreaker((draft, cause) =>
    this.#report(cutMistake(this.#origins.get(draft) ?? {}, cause)),
  )
  /** The object of the document that each schema was built from. */
  readonly #origins = new WeakMap<object, JsonObject>()
  readonly #mentioned: MentionedNames
  /** The names of the components, by the object of the document. */
  #names: ReadonlyMap<unknown, string> | undefined

  constructor(document: Document, report: (mistake: SchemaMistake) => void) {
    this.#document = document
    this.#report = report
    this.#mentioned = new MentionedNames(document)
    this.#isVersion30 = String(document.root.openapi).startsWith('3.0')
  }

  schemaOf(value: unknown, direction: Direction): Schema {
    const draft = this.#build(value, viewOf(direction))
    for (let fill = this.#empty.pop(); fill; fill = this.#empty.pop()) fill()
    for (const merged of this.#merges.keys()) this.#merge(merged)
    this.#loops.break(this.#fresh)
    this.#fresh = []
    return draft
  }

  nameOf(schema: Schema): string | undefined {
    this.#names ??= namedSchemas(this.#document)
    return this.#names.get(this.#origins.get(schema))
  }

  #build(value: unknown, view: View): Draft {
    if (value === false) return { not: {} }
    if (!isObject(value)) return {}
    const drafts = this.#draftsOf(view)
    const known = drafts.get(value)
    if (known) return known
    const target = this.#soleTarget(value)
    if (target) return noteReferred(this.#target(target, view), value)

    const draft: Draft = {}
    drafts.set(value, draft)
    this.#fill(draft, value, view)

    return noteReferred(draft, value)
  }

  #draftsOf({ direction, removed, isOpen }: View): Map<unknown, Draft> {
    const key = [direction, isOpen, ...[...removed].sort()].join('\n')
    const drafts = this.#drafts.get(key) ?? new Map<unknown, Draft>()
    this.#drafts.set(key, drafts)

    return drafts
  }

  /** The target of an object that is only a `$ref`. */
  #soleTarget(value: JsonObject): JsonObject | undefined {
    if (refOf(value) === undefined || Object.keys(siblingsOf(value, this.#isVersion30)).length > 0)
      return undefined
    const target = refTarget(this.#document, value)?.value

    return isObject(target) ? target : undefined
  }

  /** The schema of a target, which is filled later: there may be any number of references in a row. */
  #target(value: JsonObject, { direction, removed, isOpen }: View): Draft {
    const relevant = {
      direction,
      removed: removed.size === 0 ? NONE : this.#relevant(removed, value),
      isOpen: isOpen && isClosed(value, this.#document),
    }
    const drafts = this.#draftsOf(relevant)
    const known = drafts.get(value)
    if (known) {
      this.shared.add(known)
      return known
    }
    const draft: Draft = {}
    drafts.set(value, draft)
    this.shared.add(draft)
    this.#empty.push(() => this.#fill(draft, value, relevant))

    return draft
  }

  /** The removed names that a target mentions. Without any, it can be shared as it is. */
  #relevant(removed: Removed, value: JsonObject): Removed {
    const mentioned = this.#mentioned.of(value)
    const names = [...removed].filter((name) => mentioned.has(name))

    return names.length === 0 ? NONE : new Set(names)
  }

  #fill(draft: Draft, value: JsonObject, view: View): void {
    const { direction } = view
    this.#fresh.push(draft)
    this.#origins.set(draft, value)
    const keywords = (schema: JsonObject): Draft => this.#keywords(value, schema, view)
    const nullable = nullableRef(value)
    const target = refTarget(this.#document, value)?.value
    if (nullable) {
      const base = this.#build(nullable.ref, view)
      const own = keywords(toCurrentDialect(nullable.siblings))
      const isNullable = addsNull(true, direction, this.#isVersion30)
      this.#addMerge(draft, { base, own, isNullable })
    } else if (refOf(value) === undefined) {
      Object.assign(draft, keywords(toCurrentDialect(value)))
    } else if (isObject(target)) {
      const base = this.#target(target, view)
      const { nullable: given, ...siblings } = siblingsOf(value, this.#isVersion30)
      const own = keywords(siblings)
      const isNullable = addsNull(given, direction, this.#isVersion30)
      this.#addMerge(draft, { base, own, isNullable })
    } else Object.assign(draft, keywords(siblingsOf(value, this.#isVersion30)))
  }

  /** A merged schema contains parts of its target, which may contain it again. So it must be shared. */
  #addMerge(draft: Draft, merge: Merge): void {
    this.shared.add(draft)
    this.#merges.set(draft, merge)
  }

  /** Gives a schema the keywords of its target, and those beside the `$ref`. */
  #merge(draft: Draft): void {
    // A chain of any length must not fill the stack, so its end is merged first.
    const chain: { readonly draft: Draft; readonly merge: Merge }[] = []
    for (let at = draft, merge = this.#merges.get(at); merge; merge = this.#merges.get(at)) {
      this.#merges.delete(at)
      chain.push({ draft: at, merge })
      at = merge.base
    }
    for (const one of chain.reverse()) Object.assign(one.draft, merged(one.merge))
  }

  #keywords(object: JsonObject, schema: JsonObject, { direction, removed, isOpen }: View): Draft {
    const keyword = REMOVED_BY[direction]
    const names = new Set([...removed, ...markedNames(schema, keyword, this.#document)])
    const hasClosedPart = this.#hasClosedPart(schema)
    const forbidden = hasClosedPart ? forbiddenName(schema, this.#document) : undefined
    // What the document shows of a response is kept to the letter.
    const isMixed = direction === 'request' && hasClosedPart
    if (forbidden !== undefined) this.#report(forbiddenProperty(object, forbidden))
    const view = viewOf(direction)
    const branchView = { direction, removed: names, isOpen: isOpen || isMixed }

    return readKeywords(closedAsWhole(schema, { isOpen, isMixed }), {
      isRequest: direction === 'request',
      isNullable: (nullable) => addsNull(nullable, direction, this.#isVersion30),
      build: (inner) => this.#build(inner, view),
      buildBranch: (inner) => this.#build(inner, branchView),
      isRemoved: (name, inner) => names.has(name) || isMarked(inner, keyword, this.#document),
      onInvalid: (name, value, expected) =>
        this.#report(invalidKeyword(object, name, value, expected)),
      onInvalidPattern: (pattern) => this.#report(invalidPattern(object, pattern)),
    })
  }

  /**
   * Whether a part of a schema (the keywords beside `allOf`, `anyOf` and `oneOf`, or a branch of `allOf`) allows no other properties than
   * its own, and another part names such properties: no value could have them.
   */
  #hasClosedPart({ allOf, anyOf, oneOf, ...own }: JsonObject): boolean {
    const all = asArray(allOf).filter(isObject)
    const alternatives = [...asArray(anyOf), ...asArray(oneOf)].filter(isObject)
    if (all.length + alternatives.length === 0) return false
    const closed = [own, ...all].filter((part) => isClosed(part, this.#document))
    if (closed.length === 0) return false
    const parts = [own, ...all, ...alternatives]

    return closed.some((part) => {
      const names = this.#mentioned.of(part)
      return parts.some((other) => [...this.#mentioned.of(other)].some((name) => !names.has(name)))
    })
  }
}

function viewOf(direction: Direction): View {
  return { direction, removed: NONE, isOpen: false }
}

/** Whether a schema, or what it refers to, allows no properties that it does not name. */
function isClosed(schema: JsonObject, document: Document): boolean {
  return partsOf(schema, document).some(
    (one) => one.additionalProperties === false || one.unevaluatedProperties === false,
  )
}

/**
 * A property that a part of a schema requires, although another one allows no other properties than its own: no value is valid; `undefined`
 * where there is none.
 */
function forbiddenName({ allOf, ...own }: JsonObject, document: Document): string | undefined {
  const parts = [own, ...asArray(allOf)].filter(isObject).flatMap((one) => partsOf(one, document))
  const required = parts.flatMap((part) => asArray(part.required)).map(String)

  return parts.flatMap(({ additionalProperties: others, properties, patternProperties }) => {
    const isClosed = others === false && patternProperties === undefined
    const named = asObject(properties)
    return isClosed ? required.filter((name) => !Object.hasOwn(named, name)) : []
  })[0]
}

/** A schema, what it refers to, and the schemas that it combines, each once. */
function partsOf(schema: JsonObject, document: Document): readonly JsonObject[] {
  const parts = new Set([schema])
  for (const part of parts) {
    const inner = [refTarget(document, part)?.value, ...asArray(part.allOf)].filter(isObject)
    for (const one of inner) parts.add(one)
  }
  return [...parts]
}

/**
 * A schema that has properties in several parts, of which one is closed (`additionalProperties: false`). Documents often have it, and mean
 * that the whole allows no others: that is `unevaluatedProperties` (JSON Schema 2020-12, core, section 11.3). A part of another schema is
 * open, because that one is closed as a whole.
 */
function closedAsWhole(
  schema: JsonObject,
  { isOpen, isMixed }: { readonly isOpen: boolean; readonly isMixed: boolean },
): JsonObject {
  if (!(isOpen || isMixed)) return schema
  const { additionalProperties: others, unevaluatedProperties: rest, ...open } = schema
  const kept = {
    ...open,
    ...(others !== undefined && others !== false && { additionalProperties: others }),
    ...(rest !== undefined && rest !== false && { unevaluatedProperties: rest }),
  }
  return isOpen ? kept : { ...kept, unevaluatedProperties: false }
}

/** The names of the schemas among the components of a document, by their objects. */
function namedSchemas({ root }: Document): ReadonlyMap<unknown, string> {
  const schemas = Object.entries(asObject(asObject(root.components).schemas))
  return new Map(schemas.map(([name, schema]) => [schema, name]))
}

/** The keywords beside a `$ref`. OpenAPI 3.0 ignores them, except hints for the sandbox. */
function siblingsOf(value: JsonObject, isVersion30: boolean): JsonObject {
  const { $ref: _, ...siblings } = toCurrentDialect(value)
  const isUsed = (name: string): boolean =>
    isHint(name) ||
    (!isVersion30 && (KEYWORDS.has(name) || name === 'nullable')) ||
    // The hint `x-sandbox: { default }` has become `default`.
    (name === 'default' && isObject(value['x-sandbox']))

  return Object.fromEntries(Object.entries(siblings).filter(([name]) => isUsed(name)))
}

/** OpenAPI 3.0 documents write `allOf` with one `$ref` to put `nullable` next to it. */
function nullableRef(
  value: JsonObject,
): { readonly ref: unknown; readonly siblings: JsonObject } | undefined {
  const { allOf, nullable, ...siblings } = value
  const [ref, ...others] = Array.isArray(allOf) ? allOf : []
  const isNullable = nullable === true && refOf(ref) !== undefined && others.length === 0

  return isNullable ? { ref, siblings } : undefined
}

/** A schema that is made of another one. */
interface Merge {
  readonly base: Draft
  /** The keywords that are added. */
  readonly own: Draft
  readonly isNullable: boolean
}

/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['default', 'readOnly', 'writeOnly', 'example', 'examples'],
  ...DESCRIBED,
])

/** The keywords of the target of a `$ref`, and those beside the `$ref`. When both restrict the same, both apply. */
function mergeKeywords(base: Draft, own: Draft): Draft {
  const isMergeable = Object.keys(own).every(
    (key) => ANNOTATIONS.has(key) || isHint(key) || !Object.hasOwn(base, key),
  )
  const branches = Array.isArray(own.allOf) ? own.allOf : []

  return isMergeable ? { ...base, ...own } : { ...own, allOf: [base, ...branches] }
}

/** The keywords of a schema that is made of another one. */
function merged({ base, own, isNullable }: Merge): Draft {
  const keywords = mergeKeywords(base, own)
  return isNullable ? { ...withNull(keywords) } : keywords
}

/** Notes what a `$ref` says that a value is the id of. The id of the record itself is called the same. */
function noteReferred(draft: Draft, value: JsonObject): Draft {
  const referred = referredBy(refOf(value))
  if (referred !== undefined) draft.describedReference = referred
  return draft
}
