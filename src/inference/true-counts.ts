import { referringHint, sizeHint } from '../contract/count-hints.ts'
import type { ResourceHints } from '../contract/hints.ts'
import {
  escapeKey,
  itemsOf,
  plainName,
  propertiesOf,
  type Schema,
  typesIn,
} from '../contract/schema.ts'
import { heldStateOf } from './action-effects.ts'
import type { Group } from './groups.ts'
import { formsOf, isSameWord } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import { withoutNames } from './path-shape.ts'
import { STATE_COUNT } from './state-hints.ts'
import { countsWord } from './value-rules.ts'

type Values = NonNullable<ResourceHints['values']>

/**
 * Counts that no collection below a record tells: of the records beside it that name it, as `vehicle_count` of a depot whose vehicles have
 * `depot_id`, or show it, as `open_issues` of a milestone of issues, and of a list in the record, as `member_count` beside `members`.
 */
export function withTrueCounts(
  values: Values,
  own: InferredResource,
  groups: readonly Group[],
  inferredAt: (path: string) => InferredResource | undefined,
): Values {
  const properties = [...propertiesOf(own.context.known ?? {})]
  const above = aboveOf(own.hints.path)
  let found: readonly Group[] | undefined
  // Most records count nothing, and there may be thousands of collections.
  const findOthers = (): readonly Group[] =>
    groups.filter(
      ({ path, item }) =>
        item.length > 0 && (!path.includes('{') || (above !== '' && aboveOf(path) === above)),
    )
  const referring = (count: string): string | undefined => {
    found ??= findOthers()
    const others = found
    const [, state = '', rest = ''] = STATE_COUNT.exec(plainName(count)) ?? []
    const group = others.find(({ word }) => countsWord(count, word))
    const inState = group ? undefined : others.find(({ word }) => isSameWord(rest, word))
    const other = inferredAt((group ?? inState)?.path ?? '')
    const held = inState && other && heldStateOf(state, other.context.known ?? {}, other.offered)
    const property = other && (group || held) ? placeOfReference(own, other) : undefined
    if (!other || property === undefined) return undefined

    const { name: collection } = other.hints
    return referringHint({ property, collection, ...(held && { state: held }) })
  }
  const sized = (count: string): string | undefined => {
    const list = properties.find(([name, schema]) => itemsOf(schema) && countsWord(count, name))
    return list && sizeHint(list[0])
  }
  const all = Object.entries(values).map(([name, value]) => {
    const isCount = value === 0 && !name.startsWith('/')
    return [name, (isCount ? (sized(name) ?? referring(name)) : undefined) ?? value] as const
  })
  const totals = properties.flatMap(([name, schema]) => {
    const isTotal = !(name in values) && isTotalOfRecords(name, schema) && !own.sent.has(name)
    const counted = isTotal ? (sized(name) ?? referring(name)) : undefined
    return counted === undefined ? [] : [[name, counted] as const]
  })
  return Object.fromEntries([...all, ...totals])
}

/** Whether a whole number is called as how many records there are: `commentsTotal`, `total_items`. Of payments, it may be a sum. */
function isTotalOfRecords(name: string, schema: Schema): boolean {
  const plain = plainName(name)
  const counted = /^total(.+s)$/.exec(plain)?.[1] ?? /^(.+s)total$/.exec(plain)?.[1]
  return counted !== undefined && typesIn(schema).has('integer') && !SUMMED.test(counted)
}

/** What is summed up rather than counted. */
const SUMMED =
  /(payment|charge|refund|fee|tax|taxes|discount|cost|expense|price|sale|deposit|withdrawal|transfer|earning|saving|credit|point|hour|minute|second|day|byte|dollar|cent)s$/

/** Where records name one of others: `depot_id`, or the key in an object that shows it, such as `/milestone/number`. */
function placeOfReference(
  { context, hints }: InferredResource,
  { context: { known = {} } }: InferredResource,
): string | undefined {
  const forms = formsOf(context.word)
  const properties = [...propertiesOf(known)].map(
    ([name, schema]) => [name, plainName(name), schema] as const,
  )
  const id = properties.find(([, plain]) => forms.some((form) => plain === `${form}id`))
  const object = properties.find(
    ([, plain, schema]) =>
      forms.includes(plain) && !itemsOf(schema) && propertiesOf(schema).has(hints.id),
  )
  return id?.[0] ?? (object && `/${escapeKey(object[0])}/${escapeKey(hints.id)}`)
}

/** The path above a collection, without the names of its parameters. */
function aboveOf(path: string): string {
  return withoutNames(path.slice(0, path.lastIndexOf('/')))
}
