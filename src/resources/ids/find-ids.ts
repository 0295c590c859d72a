import type { Schema } from '../../contract/contract.ts'
import type { Id } from '../../records/record-table.ts'
import type { IdGenerator } from '../id-generator.ts'
import { countedIds } from './counted-ids.ts'
import {
  fitsFurther,
  fitsPath,
  fitsProperty,
  type IdSources,
  idExamples,
  idSchemas,
} from './id-sources.ts'
import {
  countedNumbers,
  generatedIds,
  listedBySchemas,
  patternTexts,
  plainTexts,
  slugs,
  textsBySchemas,
} from './ids-by-schema.ts'
import { idsLike } from './ids-like.ts'

/** How the ids of a collection are generated. */
export interface ResourceIds {
  /** Whether the property may contain the ids; otherwise only paths contain them. */
  readonly fitsProperty: boolean
  /** Whether the paths accept an id, and the property, if it fits at all. */
  readonly accepts: (id: Id) => boolean
  /** The ids of one collection: the same for the same seed and concrete path, such as `orgs/acme/repos`. */
  readonly create: (seed: number, collection: string) => IdGenerator
}

/** How many ids of each kind are tried, and which ones. */
const TRIED: readonly number[] = [1, 2, 3, 60]

/**
 * How the ids of a collection are generated: in the first way whose ids both the property and the paths accept, those of other
 * records too if possible; else in the first whose ids the paths accept. When the paths accept none, as for a parameter that is an
 * object, what the property accepts.
 */
export function findIds(sources: IdSources): ResourceIds {
  const tried = allWays(sources, [0, ''])
  const accepted = (accepts: (id: Id) => boolean): number => {
    const fits = (ids: IdGenerator): boolean => firstIds(ids).every(accepts)
    const distinct = tried.findIndex((ids) => areDistinct(firstIds(ids)) && fits(ids))
    return distinct >= 0 ? distinct : tried.findIndex(fits)
  }
  const inPaths = (id: Id): boolean => fitsPath(sources, id)
  const inProperty = (id: Id): boolean => fitsProperty(sources, id)
  const inBoth = (id: Id): boolean => inPaths(id) && inProperty(id)
  const inFurther = (id: Id): boolean => fitsFurther(sources, id)
  const all = accepted((id) => inBoth(id) && inFurther(id))
  const both = all >= 0 ? all : accepted(inBoth)
  const paths = both >= 0 ? both : accepted(inPaths)
  const way = Math.max(0, paths >= 0 ? paths : accepted(inProperty))
  const fits = both >= 0 || paths < 0

  return {
    fitsProperty: fits,
    accepts: (id) => inPaths(id) && (!fits || inProperty(id)) && (all < 0 || inFurther(id)),
    create: (seed, collection) =>
      allWays(sources, [seed, collection])[way] ?? countedIds({ toId: (count) => count }),
  }
}

/** All ways to generate ids, with those that only the paths of other records describe at the end. */
function allWays(sources: IdSources, seed: readonly (number | string)[]): readonly IdGenerator[] {
  const { parameters, further = [] } = sources
  const own = waysFor(sources, seed)

  return further.length === 0
    ? own
    : [...own, ...waysFor({ ...sources, parameters: [...parameters, ...further] }, seed)]
}

/** The ways to generate ids by the property and the paths, the most plausible first. Their number does not depend on the seed. */
function waysFor(sources: IdSources, seed: readonly (number | string)[]): readonly IdGenerator[] {
  const { name, property, parameters } = sources
  const schemas = idSchemas(sources)
  const roots: readonly Schema[] = [
    ...(property ? [property] : []),
    ...parameters.map(({ schema }) => schema),
  ]
  const examples = idExamples(sources).filter(
    (one) => fitsPath(sources, one) && fitsProperty(sources, one),
  )
  const texts = examples.filter((one) => typeof one === 'string')
  const hasText = texts.length > 0

  return [
    ...listedBySchemas(schemas),
    ...(hasText ? [] : [countedNumbers(schemas)]),
    ...texts.flatMap((text) => idsLike(text, seed) ?? (isWord(text) ? slugs(seed) : [])),
    ...textsBySchemas(name, schemas, seed),
    ...plainTexts(schemas, seed),
    ...(hasText ? [countedNumbers(schemas)] : []),
    ...patternTexts(schemas, seed),
    generatedIds(roots, name, seed),
    ...roots.map((root) => generatedIds([root], name, seed)),
  ]
}

/** Whether an example is a name, and not what an editor of documents puts there. */
function isWord(text: string): boolean {
  return /^[a-z]+(-[a-z]+)*$/.test(text) && !/^(string|text|value|id|example|test)$/.test(text)
}

function areDistinct(ids: readonly Id[]): boolean {
  return new Set(ids).size === ids.length
}

/** The ids that are tried: the first ones, and a later one. */
function firstIds(ids: IdGenerator): readonly Id[] {
  const tried = TRIED.filter((count) => count <= (ids.size ?? Number.POSITIVE_INFINITY))
  const made: Id[] = []
  let state = ids.start
  for (let count = 1; count <= (tried.at(-1) ?? 1); count += 1) {
    const next = ids.next(state)
    state = next.state
    if (tried.includes(count)) made.push(next.id)
  }
  return made
}
