import type { PropertyEncoding } from '../../contract/serialization.ts'
import { isObject } from '../../validation/objects.ts'
import type { ContentWriter } from './content-writer.ts'

type Pair = readonly [name: string, value: string]

/** A form as in `application/x-www-form-urlencoded`. */
export const formWriter: ContentWriter = {
  takesText: true,
  write: (value, { media }) => {
    const pairs = Object.entries(isObject(value) ? value : { value }).flatMap(([name, one]) =>
      pairsOf(name, one, media.encoding?.[name]),
    )
    return { body: new URLSearchParams(pairs.map(([name, text]) => [name, text])).toString() }
  },
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' }

/** A property in the style of its encoding. Without one, lists repeat their name, and objects are JSON. */
function pairsOf(
  name: string,
  value: unknown,
  { style = 'form', explode = style === 'form', contentType }: PropertyEncoding = {},
): readonly Pair[] {
  if (contentType?.includes('json')) return [[name, JSON.stringify(value)]]
  if (Array.isArray(value)) {
    const texts = value.map(toText)
    return explode
      ? texts.map((text) => [name, text] as const)
      : [[name, texts.join(SEPARATORS[style] ?? ',')]]
  }
  if (isObject(value) && style === 'deepObject') {
    return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, toText(one)] as const)
  }
  return value === undefined || value === null ? [] : [[name, toText(value)]]
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
