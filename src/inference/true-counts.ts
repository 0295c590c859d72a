import { referringHint, sizeHint } from '../contract/count-hints.ts'
import type { ResourceHints } from '../contract/hints.ts'
import { itemsOf, plainName, propertiesOf } from '../contract/schema.ts'
import type { Group } from './groups.ts'
import { formsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import { countsWord } from './value-rules.ts'

type Values = NonNullable<ResourceHints['values']>

/**
 * Counts that no collection below a record tells: of the records at the top that name it, as `vehicle_count` of a depot whose vehicles have
 * `depot_id`, and of a list in the record, as `member_count` beside `members`.
 */
export function withTrueCounts(
  values: Values,
  { context }: InferredResource,
  groups: readonly Group[],
  inferredAt: (path: string) => InferredResource | undefined,
): Values {
  const properties = [...propertiesOf(context.known ?? {})]
  const references = new Set(formsOf(context.word).map((form) => `${form}id`))
  const referring = (count: string): string | undefined => {
    const group = groups.find(
      ({ path, word, item }) => !path.includes('{') && item.length > 0 && countsWord(count, word),
    )
    const other = group && inferredAt(group.path)
    const names = [...propertiesOf(other?.context.known ?? {}).keys()]
    const property = names.find((name) => references.has(plainName(name)))
    return other && property !== undefined ? referringHint(property, other.hints.name) : undefined
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
