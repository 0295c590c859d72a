import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'

/** The items of a list: of an array, or of the first array of objects in an envelope. */
export function listedIn(json: unknown): readonly JsonObject[] {
  if (Array.isArray(json)) return json.filter(isObject)
  if (!isObject(json)) return []
  const lists = Object.values(json).flatMap((value) =>
    isObject(value) ? [value, ...Object.values(value)] : [value],
  )
  const list = lists.find((value) => Array.isArray(value) && value.some(isObject))

  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The value of the property whose name ends the name of the parameter, as `id` ends `petId`. The longest name counts. */
export function idForParameter(record: JsonObject, parameter: string): string | number | undefined {
  const wanted = plain(parameter)
  const [best] = Object.entries(record)
    .filter(([name]) => plain(name) !== '' && wanted.endsWith(plain(name)))
    .sort(([one], [other]) => other.length - one.length)
  const value = best?.[1] ?? record.id
  const isId = typeof value === 'number' || (typeof value === 'string' && isSegment(value))

  return isId ? value : undefined
}

function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}

/** Whether a text can be the segment of a path. */
function isSegment(text: string): boolean {
  return !/^\.{0,2}$|[/\\\p{Surrogate}]/u.test(text)
}
