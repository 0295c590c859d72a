import type { Schema } from '../contract/contract.ts'
import { parsePointer } from '../contract/parse-pointer.ts'
import { plainName } from '../contract/plain-name.ts'
import type { BodyPlace, EnvelopeFigure, PagingHints } from '../contract/resource-hints.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { type FigurePlace, figureOf } from './figure-names.ts'

/** How deep figures may be, such as `/meta/pagination/links/next`. */
const MAX_DEPTH = 4

/** Objects that say something about the list, by their names without spelling. */
const ABOUT_THE_LIST =
  /^(page|pages|pager|page(info|able|details|meta|metadata)|paging.*|paginat.*|(list|collection|response|search|result)?meta(data)?|links?|cursors?|header|info|(result|list|search)(info|set)|response|next(page)?|prev(ious)?(page)?|first(page)?|last(page)?|self)$/

/** A property of a response outside of the list. */
interface Candidate extends FigurePlace {
  readonly place: BodyPlace
}

/** What the response of a list says about the page, outside of the list: the figures by their places; `undefined` when nothing. */
export function inferEnvelope(
  schema: Schema,
  list: BodyPlace,
  paging: PagingHints | undefined,
): Readonly<Record<BodyPlace, EnvelopeFigure>> | undefined {
  if (list === '') return undefined
  const candidates = [...candidatesIn(schema, parsePointer(list), [], paging)]
  const figures = candidates.flatMap((candidate) => {
    const figure = figureOf(candidate)
    return figure ? [[candidate.place, figure] as const] : []
  })
  if (figures.length === 0) return undefined

  return Object.fromEntries(withOneTotal(figures))
}

/** The properties of a schema and of the objects about the list in it. */
function* candidatesIn(
  schema: Schema,
  list: readonly string[],
  path: readonly string[],
  paging: PagingHints | undefined,
): Generator<Candidate> {
  const properties = propertiesOf(schema)
  const siblings = new Set([...properties.keys()].map(plainName))
  for (const [name, property] of properties) {
    const own = [...path, name]
    const isOnWay = own.every((key, depth) => list[depth] === key)
    if (isOnWay && own.length === list.length) continue
    const plain = plainName(name)
    if (propertiesOf(property).size === 0) {
      const group = plainName(path.at(-1) ?? '')
      yield { place: toPointer(own), plain, group, schema: property, paging, siblings }
    } else if (own.length < MAX_DEPTH && (isOnWay || ABOUT_THE_LIST.test(plain))) {
      yield* candidatesIn(property, list, own, paging)
    }
  }
}

/** Of several totals, those that are not called so are the number of records on the page. */
function withOneTotal(
  figures: readonly (readonly [BodyPlace, EnvelopeFigure])[],
): readonly (readonly [BodyPlace, EnvelopeFigure])[] {
  const isCalledTotal = (place: BodyPlace): boolean => /total[^/]*$/i.test(place)
  const hasTotal = figures.some(([place, figure]) => figure === 'total' && isCalledTotal(place))

  return figures.map(([place, figure]) =>
    hasTotal && figure === 'total' && !isCalledTotal(place) ? [place, 'count'] : [place, figure],
  )
}

function toPointer(keys: readonly string[]): BodyPlace {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
