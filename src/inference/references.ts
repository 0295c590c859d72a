import type { Schema } from '../contract/contract.ts'
import type { ResourceHints } from '../contract/hints.ts'
import {
  isObjectSchema,
  itemsOf,
  plainName,
  propertiesOf,
  withBranches,
} from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import { CALLERS } from './callers.ts'
import { hasScalars } from './filters.ts'
import type { Group } from './groups.ts'
import { formsOf, wordsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import { parametersIn, withoutNames } from './path-shape.ts'

// Records contain objects that show others, such as the `assignee` of a task, which is one of the users.

/** The collections that properties may refer to. */
interface ReferenceContext {
  readonly groups: ReadonlyMap<string, Group>
  /** The collection that has the records of a path. */
  readonly resource: (path: string) => InferredResource | undefined
  /** The operations on a collection and its records, on all paths. */
  readonly group: (path: string) => Group | undefined
}

/** Finds which properties of the records of a collection show records of others. */
export function createReferenceFinder({
  groups,
  resource,
  group,
}: ReferenceContext): (own: InferredResource) => Pick<ResourceHints, 'references'> {
  const byWord = once((all: ReferenceContext['groups']) => pathsByWord(all))
  const callers = once((all: ReferenceContext['groups']) =>
    [...all.values()].flatMap(({ word, path, itemPath }) =>
      CALLERS.test(word) && itemPath !== undefined && !path.includes('{') ? path : [],
    ),
  )
  const targetOf = (name: string, schema: Schema, own: InferredResource): string | undefined => {
    const one = itemsOf(schema) ?? schema
    const shown = withBranches(one).filter(isRecord)
    // What may be an id stays one until a request expands it.
    if (shown.length === 0 || hasScalars(one)) return undefined
    const word = plainName(name)
    const named = [word, wordsOf(name).at(-1) ?? ''].flatMap((one) =>
      formsOf(one).flatMap((form) => byWord(groups).get(form) ?? []),
    )
    const sameKind = /^parent/.test(word) ? [own.hints.path] : []
    const people = ROLE.test(word) ? callers(groups) : []
    const paths = [...closest(named, own.hints.path), ...sameKind, ...people]
    const found = [...new Set(paths)].flatMap((path) => resource(path) ?? [])

    return found.find((one) => shown.some((schema) => shows(schema, one)))?.hints.name
  }

  return (own) => {
    const operations = group(own.hints.path)
    if (!operations || !isWritten(operations)) return {}
    const { known = {} } = own.context
    const sent = [...own.sent].filter((name) => !propertiesOf(known).has(name))
    const found = [...propertiesOf(known)].flatMap(([name, schema]) => {
      if (name === own.hints.id) return []
      const of = targetOf(name, schema, own)
      const by = of === undefined ? undefined : sentNameOf(name, sent)
      return of === undefined ? [] : [[name, by === undefined ? of : { of, by }] as const]
    })
    return found.length === 0 ? {} : { references: Object.fromEntries(found) }
  }
}

/** Whether requests can add or change records. */
function isWritten({ collection, item }: Group): boolean {
  return [...collection, ...item].some(({ method }) => /^(POST|PUT|PATCH)$/.test(method))
}

function pathsByWord(groups: ReferenceContext['groups']): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, string[]>()
  for (const { word, path } of groups.values()) {
    for (const form of formsOf(word)) paths.set(form, [...(paths.get(form) ?? []), path])
  }
  return paths
}

/** The paths of which a record knows the parents, as they are its own, the deepest first. */
function closest(paths: readonly string[], own: string): readonly string[] {
  const start = `${withoutNames(own)}/`
  const known = paths.filter((path) => {
    const above = path.slice(0, path.lastIndexOf('/'))
    return !above.includes('{') || start.startsWith(`${withoutNames(above)}/`)
  })
  return known.sort((one, other) => parametersIn(other).length - parametersIn(one).length)
}

/** What people are to a record. */
const ROLE =
  /^(owner|creator|author|user|member|follower|assignee|reporter|reviewer|approver|submitter|uploader|requester|sender|recipient|actor|lead|manager|participant|collaborator)s?$|^\w*(ed|sent)(by|to)$|^accessibleby$/

function isRecord(schema: Schema): boolean {
  return isObjectSchema(schema) && propertiesOf(schema).size > 0
}

/** Such a part of the names tells that an object shows a record of a collection. */
const LIKE_PART = 0.6

/** Whether an object shows a record of a collection: it has a key of the record, and most of its properties are those of the record. */
function shows(shown: Schema, { hints, context }: InferredResource): boolean {
  const { known } = context
  if (!known || hints.isSingle) return false
  const [names, own] = [[...propertiesOf(shown).keys()], propertiesOf(known)]
  const keys = [hints.id, ...(hints.keys ?? [])]
  const shared = names.filter((name) => own.has(name)).length

  return names.some((name) => keys.includes(name)) && shared >= names.length * LIKE_PART
}

/** The property of requests that has the ids for an object that only responses show: `project_id`, `leadAccountId` and `label_ids`. */
function sentNameOf(name: string, sent: readonly string[]): string | undefined {
  const forms = formsOf(plainName(name))
  return sent.find((one) => {
    const words = wordsOf(one)
    const isId = words.length > 1 && ID_WORDS.test(words.at(-1) ?? '')
    const starts = words.map((_, at) => words.slice(0, at).join(''))
    return isId && starts.some((start) => start !== '' && forms.includes(start))
  })
}

const ID_WORDS = /^(ids?|gids?|uuids?|sids?|slugs?|keys?|names?)$/
