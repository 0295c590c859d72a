import { isObject } from '../validation/objects.ts'

/** A value as the text of a header (OpenAPI, style `simple`), or `undefined` when a header cannot have it. */
export function headerText(value: unknown): string | undefined {
  const text = simple(value)
    // Only these characters are safe in every runtime (RFC 9110, section 5.5).
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()

  return text === '' ? undefined : text
}

function simple(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(simple).join(',')
  if (isObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name},${simple(one)}`)
      .join(',')

  return String(value)
}
