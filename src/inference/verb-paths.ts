import type { Operation } from '../contract/contract.ts'
import { shapeOf, UNNAMED, withoutNames } from './path-shape.ts'

/** What a word at the end of a path says that the operation does. */
export type Verb = 'create' | 'list' | 'read' | 'update' | 'remove'

/** A path that ends with such a word: `/books` and `create` of `/books/create`. */
export interface VerbPath {
  /** The path without the word. */
  readonly path: string
  readonly verb: Verb
}

/** A rule about words at the end of a path. The first one that fits decides. */
interface VerbRule {
  readonly verb: Verb
  readonly words: RegExp
  readonly methods: RegExp
  /** Whether the word follows the path of a collection or that of one of its records. */
  readonly after: 'collection' | 'record'
  /** The methods that do the same without the word. Where the path has one of them, the word is a thing of its own. */
  readonly without: readonly string[]
}

export const VERB_RULES: readonly VerbRule[] = [
  {
    verb: 'create',
    words: /^(create|new|add|insert)$/i,
    methods: /^POST$/,
    after: 'collection',
    without: ['POST'],
  },
  {
    verb: 'list',
    words: /^(list|all|json)$/i,
    methods: /^GET$/,
    after: 'collection',
    without: ['GET'],
  },
  {
    verb: 'read',
    words: /^(json|read|show|view|details?|info(rmation)?)$/i,
    methods: /^GET$/,
    after: 'record',
    without: ['GET'],
  },
  {
    verb: 'update',
    words: /^(update|edit|modify)$/i,
    methods: /^(POST|PUT|PATCH)$/,
    after: 'record',
    without: ['PUT', 'PATCH', 'POST'],
  },
  {
    verb: 'remove',
    words: /^(delete|remove|destroy)$/i,
    methods: /^(POST|DELETE)$/,
    after: 'record',
    without: ['DELETE'],
  },
]

/**
 * The operations whose paths end with a word for what they do, such as `POST /books/create` and `GET /books/{id}/json`. The word belongs
 * to no collection or record of its own where other paths lead to the record, and none does the same without it.
 */
export function verbPaths(operations: readonly Operation[]): ReadonlyMap<Operation, VerbPath> {
  const known = knownPaths(operations)
  return new Map(
    operations.flatMap((operation) => {
      const { path } = shapeOf(operation.path)
      const at = path.lastIndexOf('/')
      const [before, word] = [path.slice(0, at), path.slice(at + 1)]
      const rule = VERB_RULES.find((one) => fits(one, operation, before, word))
      if (!rule || !isSupported(rule, before, known)) return []
      return [[operation, { path: before, verb: rule.verb }] as const]
    }),
  )
}

function fits(
  { words, methods, after }: VerbRule,
  { method }: Operation,
  before: string,
  word: string,
): boolean {
  if (before === '' || !words.test(word) || !methods.test(method)) return false
  return before.endsWith('}') === (after === 'record')
}

/** The paths of a document, without the names of their parameters. */
interface KnownPaths {
  /** Each with its method before it, such as `GET /books/{}`. */
  readonly operations: ReadonlySet<string>
  /** The templates that lead to records, with how many operations are on them or below. */
  readonly records: ReadonlyMap<string, number>
}

function knownPaths(operations: readonly Operation[]): KnownPaths {
  const records = new Map<string, number>()
  const targets = operations.map(({ method, path }) => {
    const segments = withoutNames(shapeOf(path).path).split('/')
    for (const [at, segment] of segments.entries()) {
      const record = segments.slice(0, at + 1).join('/')
      if (segment === UNNAMED) records.set(record, (records.get(record) ?? 0) + 1)
    }
    return `${method} ${segments.join('/')}`
  })
  return { operations: new Set(targets), records }
}

function isSupported({ after, without }: VerbRule, before: string, known: KnownPaths): boolean {
  const path = withoutNames(before)
  if (without.some((method) => known.operations.has(`${method} ${path}`))) return false
  const operations = known.records.get(after === 'record' ? path : `${path}/${UNNAMED}`) ?? 0

  return operations > (after === 'record' ? 1 : 0)
}
