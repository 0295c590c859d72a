import type { Schema } from '../contract/contract.ts'
import type { BodyPlace, EnvelopeFigure, PagingHints } from '../contract/hints.ts'
import {
  isNumeric,
  itemsOf,
  parsePointer,
  plainName,
  propertiesOf,
  schemaAt,
  typesIn,
} from '../contract/schema.ts'
import { isSameWord } from './id-property.ts'

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

/** The ids that a response has beside the records which it shows: `transaction_ids` beside the `transaction`; `undefined` without any. */
export function inferIds(
  body: Schema,
  record: BodyPlace,
  word: string,
): Readonly<Record<BodyPlace, 'id' | 'ids'>> | undefined {
  const path = parsePointer(record)
  const name = plainName(path.at(-1) ?? '')
  const around = path.slice(0, -1)
  const isOf = (one: string): boolean =>
    one === '' || isSameWord(one, word) || isSameWord(one, name)
  const ids = [...propertiesOf(schemaAt(body, toPointer(around)) ?? {})].flatMap(
    ([beside, schema]) => {
      const [, owner = '', many] = /^(.*)id(s?)$/.exec(plainName(beside)) ?? []
      const values = many ? itemsOf(schema) : schema
      const isId = many !== undefined && values !== undefined && propertiesOf(values).size === 0
      const hasOwner = many ? isOf(owner) : owner !== '' && isOf(owner)
      if (!isId || !hasOwner || (!many && itemsOf(schema))) return []
      return [[toPointer([...around, beside]), many ? 'ids' : 'id'] as const]
    },
  )
  return path.length > 0 && ids.length > 0 ? Object.fromEntries(ids) : undefined
}

/** Where a response says no more than the number of records, which may be all of it; `undefined` when it says something else. */
export function inferCount(schema: Schema): Readonly<Record<BodyPlace, 'total'>> | undefined {
  const place = countIn(schema)
  return place && { [place.length === 0 ? '' : toPointer(place)]: 'total' }
}

/** The names that lead to the number of records, in the only object of an object at most. */
function countIn(schema: Schema): readonly string[] | undefined {
  if (isNumeric(schema)) return []
  const properties = [...propertiesOf(schema)]
  if (properties.some(([, property]) => itemsOf(property))) return undefined
  const total = properties.find(
    ([name, property]) => isNumeric(property) && find(NUMBERS, plainName(name)) === 'total',
  )
  if (total) return [total[0]]
  const [inner, other] = properties.filter(([, property]) => propertiesOf(property).size > 0)
  const below = inner && !other ? countIn(inner[1]) : undefined

  return inner && below && below.length === 1 ? [inner[0], ...below] : undefined
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
  const isCalledTotal = (place: BodyPlace): boolean => /(total|filter)[^/]*$/i.test(place)
  const hasTotal = figures.some(([place, figure]) => figure === 'total' && isCalledTotal(place))

  return figures.map(([place, figure]) =>
    hasTotal && figure === 'total' && !isCalledTotal(place) ? [place, 'count'] : [place, figure],
  )
}

function toPointer(keys: readonly string[]): BodyPlace {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** A property of a response that may be a figure about a list. Names are without spelling. */
interface FigurePlace {
  readonly plain: string
  /** The name of the object with the property; empty for the body. */
  readonly group: string
  readonly schema: Schema
  readonly paging: PagingHints | undefined
  /** The names of all properties of the object. */
  readonly siblings: ReadonlySet<string>
}

type Rules = readonly (readonly [names: RegExp, figure: EnvelopeFigure])[]

const NUMBERS: Rules = [
  [
    /^(total|(total|full|overall|grand|filter(ed)?)?(count|total)|hits|found|numfound|available|matches|results?|total(results|items|records|elements|hits|entries|rows|size|matches|objects|available)|(total|full|overall)?(result|item|record|match|element|hit|entry|object|row)s?(count|total|available)|(total)?(count|number)of(items|results|records|hits|entries)|total(number|count)|total(number|count)(items|results|records|entries))$/,
    'total',
  ],
  [
    /^(returned|numberofelements|(count|number|items|results|records)?returned|returned(count|items|results)|(items|results|records|count)(in|on)(this)?page|currentcount|currentitemcount|pageitems)$/,
    'count',
  ],
  [
    /^(limit|(page)?size|pagelen|pagelimit|perpage|(items|results|hits|records|entries)perpage|take|top|max|max(results|items|count|rows))$/,
    'size',
  ],
  [/^((current)?offset|skip|skipped|start|startindex|startat|from|startposition)$/, 'offset'],
  [/^(currentpage|current|page|page(no|num|number|index)|currentpage(number|index))$/, 'page'],
  [/^(pages|total(num|numberof)?pages|(total)?pages?count|numpages|numberofpages)$/, 'pages'],
  [/^(next|nextpage)(number|index|no)?$/, 'nextPage'],
  [/^(prev|previous)(page)?(number|index|no)?$/, 'previousPage'],
  [/^(last|lastpage)(number|index|no)?$/, 'lastPage'],
  [/^next(offset|skip|start|startindex|cursor|token|startat)$/, 'nextCursor'],
  [/^prev(ious)?(offset|skip|start|startindex|cursor|token|startat)$/, 'previousCursor'],
]

const FLAGS: Rules = [
  [/^(has)?more((results|items|records|data|pages)?(available)?)$|^hasnext(page)?$/, 'hasMore'],
  [/^(is|results?)?truncated$|^limitedresultset$|^incomplete$|^hasadditional.*$/, 'hasMore'],
  [/^has(prev|previous)(page)?$/, 'hasPrevious'],
  [/^(is)?first(page)?$/, 'isFirst'],
  [/^(is)?last(page)?$|^(is)?done$|^(is)?complete$|^endoflist$/, 'isLast'],
  [/^(is)?empty$/, 'isEmpty'],
]

const CURSORS: Rules = [
  [
    /^(next(page)?(cursor|token|key|marker|iterator|offset|id|start|startkey)|(cursor|token)next|nextcontinuation(token|key)?|continuation(token|key)?|continue|endcursor|iterator|scrollid|lastevaluatedkey|nextmarker|pagetokennext)$/,
    'nextCursor',
  ],
  [
    /^(prev|previous)(page)?(cursor|token|key|marker|iterator|offset)$|^startcursor$/,
    'previousCursor',
  ],
  [/^firstid$/, 'firstId'],
  [/^lastid$/, 'lastId'],
]

/** Links and cursors that are called by the page they lead to. */
const TARGETS: readonly (readonly [RegExp, EnvelopeFigure, EnvelopeFigure | undefined])[] = [
  [/^(self|current|this)/, 'selfUrl', undefined],
  [/^(next|after)/, 'nextUrl', 'nextCursor'],
  [/^(prev|before)/, 'previousUrl', 'previousCursor'],
  [/^first/, 'firstUrl', undefined],
  [/^last/, 'lastUrl', undefined],
]

/** Words that have other meanings too, so that they are figures only beside parameters for paging. */
const OTHER_MEANINGS =
  /^(from|start|max|top|take|current|available|found|matches|hits|next|last|first|done|complete)$/

const TARGET = /^(self|current|this|next|after|prev|previous|before|first|last)(page)?$/
const LINK = /(url|uri|href|link|path)s?$/

/** The figure that a property contains, by its name, type and place; `undefined` when it is none. */
function figureOf(place: FigurePlace): EnvelopeFigure | undefined {
  const { plain, schema, group, paging } = place
  const types = typesIn(schema)
  if (types.has('array') || types.has('object')) return undefined
  const isSure = paging !== undefined || group !== '' || !OTHER_MEANINGS.test(plain)
  if (types.has('boolean')) return isSure ? find(FLAGS, plain) : undefined
  if (isNumeric(schema)) return isSure ? numberOf(place) : undefined
  const isNumberAsText = schema.format === undefined && !OTHER_MEANINGS.test(plain)

  return (
    linkOrCursor(place) ??
    (isNumberAsText ? find(NUMBERS, plain) : undefined) ??
    (isListName(place) ? 'listName' : undefined)
  )
}

/** Whether a text is the name of the property with the list: the `key` beside the size and the links of the page. */
function isListName({ plain, group, siblings }: FigurePlace): boolean {
  const isAboutPage = [...siblings].some((one) => find(NUMBERS, one) === 'size')
  return /^(list)?key$/.test(plain) && group !== '' && isAboutPage
}

/** The number of a page may be called only `number`, beside the number of all pages. */
function numberOf({ plain, siblings, group }: FigurePlace): EnvelopeFigure | undefined {
  const isPage = plain === 'number' && (siblings.has('totalpages') || group === 'page')
  return isPage ? 'page' : find(NUMBERS, plain)
}

function linkOrCursor({
  plain,
  group,
  schema,
  paging,
  siblings,
}: FigurePlace): EnvelopeFigure | undefined {
  const isOfList = group === '' && [...siblings].some((one) => find(FLAGS, one) === 'hasMore')
  if (isOfList && /^(url|uri|href)$/.test(plain)) return 'selfUrl'
  const cursor = find(CURSORS, plain)
  if (cursor) return cursor
  const isLink = isLinkSchema(schema) || LINK.test(plain) || /^links?$/.test(group)
  const target = targetOf(plain, group)
  if (!target) return paging && cursorOf(plain, paging)
  const [, url, other] = target
  if (isLink) return url
  const hasTokens = /^cursors?$/.test(group) || continues(paging) || !TARGET.test(plain)

  return hasTokens ? other : url
}

/** The page that a property leads to, by its own name or by that of its object, such as `next: { href }`. */
function targetOf(plain: string, group: string): (typeof TARGETS)[number] | undefined {
  const name = plain.replace(LINK, '') || group
  const isInTarget =
    TARGET.test(group) &&
    /^(href|url|uri|link|path|cursor|token|offset|after|before|page)$/.test(plain)
  const wanted = isInTarget ? group : name

  return TARGET.test(wanted) ? TARGETS.find(([names]) => names.test(wanted)) : undefined
}

/** A property that is called like the parameter that it is for. An offset as a text is the one of the next page. */
function cursorOf(plain: string, paging: PagingHints): EnvelopeFigure | undefined {
  const isCursor = /^(cursor|token|marker|pagetoken|bookmark|cursormark)$/.test(plain)
  const isOffset = /^(offset|skip)$/.test(plain) && paging.style === 'offset'

  return isCursor || isOffset ? 'nextCursor' : undefined
}

function continues(paging: PagingHints | undefined): boolean {
  return paging?.style === 'cursor' || paging?.style === 'after'
}

/** Whether a text is a link by its format or its example. */
function isLinkSchema({ format, example, examples }: Schema): boolean {
  if (/^(uri|url|iri)/.test(format ?? '')) return true
  const shown = [example, ...(Array.isArray(examples) ? examples : [])]
  return shown.some((one) => typeof one === 'string' && /^(https?:\/)?\//.test(one))
}

function find(rules: Rules, plain: string): EnvelopeFigure | undefined {
  return rules.find(([names]) => names.test(plain))?.[1]
}
