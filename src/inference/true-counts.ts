import { referringHint, sizeHint } from '../contract/count-hints.ts'
import type { ResourceHints } from '../contract/hints.ts'
import { escapeKey, itemsOf, plainName, propertiesOf } from '../contract/schema.ts'
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
  const others = groups.filter(
    ({ path, item }) =>
      item.length > 0 && (!path.includes('{') || (above !== '' && aboveOf(path) === above)),
  )
  const referring = (count: string): string | undefined => {
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
  return Object.fromEntries(all)
}

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
