import type { Operation, Schema } from '../contract/contract.ts'
import {
  EVENT_ACTION,
  EVENT_NAME,
  eventStreamOf,
  isAnyText,
  type StreamedSchema,
  streamedSchemas,
} from '../contract/event-stream.ts'
import { itemsOf, placesIn, plainName, propertiesOf } from '../contract/schema.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import { shapeOf, wordOf } from './path-shape.ts'

// Some operations answer with server-sent events. They tell of changes where their path or their schema leads to records.

/** Words in a path that stand for a stream of what happens to the records at the rest of the path. */
const STREAM =
  /^(events?|streams?|streaming|event[-_]?stream|watch|changes?|updates?|feed|live|subscribe|sse|notifications?)$/i

/** The paths that an operation may stream the changes of: its own, and those without the words for a stream. */
export function streamedPaths(template: string): readonly string[] {
  const { path } = shapeOf(template)
  const paths = [path]
  for (let segments = path.split('/').slice(1); segments.length > 1; ) {
    if (STREAM.test(segments.at(-1) ?? '')) segments = segments.slice(0, -1)
    else if (STREAM.test(segments[0] ?? '')) segments = segments.slice(1)
    else break
    paths.push(`/${segments.join('/')}`)
  }
  return paths
}

/** The resources of a document, as far as streams need them. */
interface StreamedResources {
  /** The paths of the collections by the names of their resources. */
  readonly paths: ReadonlyMap<string, string>
  /**
   * The resource of the collection at a path, if requests can change its records; `undefined` for other paths, and for those that show records of
   * other paths.
   */
  readonly resource: (path: string) => InferredResource | undefined
}

/**
 * The names of the resources whose changes an operation streams: the one that its path leads to, if its schema shows the records or says
 * nothing, else all those at the top that its schema shows. `undefined` when it streams none: then it answers with a list of events that ends.
 */
export function inferStreams(
  operation: Operation,
  { paths, resource }: StreamedResources,
): string | readonly string[] | undefined {
  const media = eventStreamOf(operation)
  if (!media) return undefined
  const kinds = streamedSchemas(media)
  for (const path of streamedPaths(operation.path)) {
    const { stem } = shapeOf(path)
    const own = resource(path) ?? (stem === undefined ? undefined : resource(stem))
    if (own) {
      const isShown = kinds.some((kind) => isAnyText(kind.data) || showsChanges(kind, own))
      if (isShown) return own.hints.name
    }
  }
  if (operation.path.includes('{')) return undefined
  const shown = [...paths].flatMap(([name, path]) => {
    const one = path.includes('{') ? undefined : resource(path)
    return one && kinds.some((kind) => showsChanges(kind, one)) ? name : []
  })
  return shown.length > 1 ? shown : shown[0]
}

/** Whether events have a record, or the id of one beside a name, or names that tell of the records. */
function showsChanges(
  { data, names }: StreamedSchema,
  { hints: { path }, context: { known } }: InferredResource,
): boolean {
  const word = wordOf(path)
  if (names.some((name) => tellsOf(name, word))) return true
  if (known && placesIn(data).some(({ schema }) => isRecord(itemsOf(schema) ?? schema, known)))
    return true
  const own = [...propertiesOf(data).keys()].map(plainName)
  const isNamed = own.some((name) => EVENT_NAME.test(name) || EVENT_ACTION.test(name))

  return isNamed && own.some((name) => isIdOf(name, word))
}

/** Whether the name of an event is that of the records with a verb, such as `order.created` or `newOrder`. */
function tellsOf(name: string, word: string): boolean {
  const [words, subject] = [wordsOf(name), wordsOf(word)]
  return [words.slice(0, -1), words.slice(1)].some(
    (rest) =>
      rest.length > 0 &&
      rest.length === subject.length &&
      rest.every((one, at) => isSameWord(one, subject[at] ?? '')),
  )
}

function isIdOf(name: string, word: string): boolean {
  const [, subject] = /^(.+)(?:id|uuid|key)$/.exec(name) ?? []
  return subject !== undefined && isSameWord(subject, word)
}

/** The part of the properties of a record that an object must have to be one. */
const MIN_SHARE = 0.6

function isRecord(schema: Schema, known: Schema): boolean {
  if (schema === known) return true
  const names = propertiesOf(schema)
  const own = [...propertiesOf(known).keys()]
  const shared = own.filter((name) => names.has(name)).length

  return shared > 1 && shared >= MIN_SHARE * own.length
}
