import type { Choices } from './choices.ts'
import { namedText } from './named-texts.ts'
import type { Place } from './place.ts'

/** Of an enum, so many values are looked at. */
const MAX_VALUES = 200

/** Countries, states and currencies are usually listed by their codes. */
const CODE_LENGTH = { min: 0, max: 3 }

/** One of the values that a schema lists: the one that fits the name, such as the currency of the country, else any but `null`. */
export function listedValue(
  values: readonly unknown[],
  place: Place,
  { choices, now }: { readonly choices: Choices; readonly now: number },
): unknown {
  const plausible = values.filter((value) => value !== null)
  const all = plausible.length === 0 ? values : plausible
  const shuffled = place.random.part('values').shuffle(all.slice(0, MAX_VALUES))
  const named = namedText(place, now, CODE_LENGTH)
  const chosen = choices.choose(
    all.includes(named) ? [named, ...shuffled.filter((value) => value !== named)] : shuffled,
  )
  // Values of the document are copied, because those who get them may change them.
  return typeof chosen === 'object' ? structuredClone(chosen) : chosen
}
