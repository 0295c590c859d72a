import type { ErrorItem } from './error-facts.ts'
import { type ErrorProperty, OMITTED } from './error-property.ts'

/** The values of a property that says where an error is. Where no input is wrong, it is left out. */
export function fieldValues(
  name: string,
  { item, parentName, value }: ErrorProperty,
): readonly unknown[] {
  if (!item) return [OMITTED, null]
  if (Array.isArray(value)) return [[item.part, ...item.names], [fieldOf(item)]]
  if (parentName === 'source') return sourceValues(name, item)
  if (name.endsWith('pointer')) return item.part === 'body' ? [`#${pointerOf(item)}`] : [OMITTED]
  if (name === 'in' || name === 'locationtype') return [item.part]

  return [fieldOf(item), item.part]
}

/** JSON:API has the place of an error in `source`, with one of these names. */
function sourceValues(name: string, item: ErrorItem): readonly unknown[] {
  if (name === 'pointer') return item.part === 'body' ? [pointerOf(item)] : [OMITTED]
  const isPart = name === (item.part === 'header' ? 'header' : 'parameter')

  return isPart && item.part !== 'body' ? [fieldOf(item)] : [OMITTED]
}

/** The place as in JavaScript, such as `author.born` or `tags[0]`. */
export function fieldOf({ part, names }: ErrorItem): string {
  if (names.length === 0) return part
  return names
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./, '')
}

function pointerOf({ names }: ErrorItem): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
