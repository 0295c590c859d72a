import { getOwn, isObject, once } from '../validation/objects.ts'

// Texts in hints may have placeholders for values that only a request knows, such as `{body.quantity}`.

/** A name and the names that lead from its value to another, such as `record.owner.id`; of `{uuid}` and `{now}`, only the name. */
const PLACEHOLDER = /\{(uuid|now|[A-Za-z_]\w*(?:\.[^{}.\s]+)+)\}/g

const ONLY_PLACEHOLDER = new RegExp(`^${PLACEHOLDER.source}$`)

/** The time. As a whole text, it is written in the form of its property, which is known later; in a longer text, it is a date and time. */
const NOW = '{now}'

/** The value of a placeholder. `place` is that of the text in the hint. */
export type LookUp = (names: readonly string[], place: readonly string[]) => unknown

/** The names in each placeholder of a hint, at any depth. */
export function placeholdersIn(hint: unknown): readonly (readonly string[])[] {
  if (hint === NOW) return []
  if (typeof hint === 'string')
    return [...hint.matchAll(PLACEHOLDER)].map(([, names = '']) => names.split('.'))
  return hint === Object(hint) ? Object.values(Object(hint)).flatMap(placeholdersIn) : []
}

/** Whether a hint has placeholders. */
export const hasPlaceholders: (hint: object) => boolean = once(
  (hint) => placeholdersIn(hint).length > 0,
)

/**
 * A hint with the values of its placeholders. A text that is only a placeholder becomes the value with its type, and nothing where there is
 * none.
 */
export function filled(
  hint: unknown,
  lookUp: LookUp,
  place: readonly string[] = [],
  keepsNow = true,
): unknown {
  if (hint === NOW && keepsNow) return hint
  if (typeof hint === 'string') return filledText(hint, lookUp, place)
  if (Array.isArray(hint))
    return hint.map((one, at) => filled(one, lookUp, [...place, `${at}`], keepsNow))
  if (!isObject(hint)) return hint
  const values = Object.entries(hint).map(([name, value]) => {
    return [name, filled(value, lookUp, [...place, name], keepsNow)] as const
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** A hint with which values are compared: `{now}` is a date and time there, too. */
export function filledForComparison(hint: unknown, lookUp: LookUp): unknown {
  return filled(hint, lookUp, [], false)
}

/** The parameters in the path of a collection, such as `owner` in `/repos/{owner}/{path.repo}/labels`. */
const PATH_PARAMETER = /\{([^{}./\s]+)\}/g

/** The names of the parameters in the path of a collection, as a document writes them. */
export function parametersIn(path: string): readonly string[] {
  return [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => name)
}

/** The path of a collection in a hint. A parameter such as `{owner}` is that of the request's own path: `{path.owner}`. */
export function filledPath(path: string, lookUp: LookUp): string {
  return String(filled(path.replace(PATH_PARAMETER, '{path.$1}'), lookUp))
}

function filledText(text: string, lookUp: LookUp, place: readonly string[]): unknown {
  const [, only] = ONLY_PLACEHOLDER.exec(text) ?? []
  if (only !== undefined) return lookUp(only.split('.'), place)
  return text.replace(PLACEHOLDER, (_, names: string) => {
    const value = lookUp(names.split('.'), place)
    if (value === undefined || value === null) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}

/** The value to which names lead from an object, also through lists by position. */
export function valueIn(value: unknown, names: readonly string[]): unknown {
  let inner = value
  for (const name of names)
    inner = inner === Object(inner) ? getOwn(Object(inner), name) : undefined
  return inner
}
