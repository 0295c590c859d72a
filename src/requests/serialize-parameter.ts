import type { Parameter, ParameterStyle } from '../contract/contract.ts'
import { encodePart } from '../http/paths.ts'
import { isObject } from '../validation/objects.ts'

/** A name and a value, as text. */
export type TextPair = readonly [name: string, value: string]

type Serializable = Pick<Parameter, 'name' | 'in' | 'style' | 'explode' | 'mediaType'>

/** The media type of forms. */
export const FORM = 'application/x-www-form-urlencoded'

/** A segment of a path with the value of a parameter, percent-encoded (OpenAPI, "Style Values"). */
export function pathText(parameter: Serializable, value: unknown): string {
  const { name, style = 'simple', explode = false, mediaType } = parameter
  if (mediaType !== undefined) return encodePart(JSON.stringify(value))
  const encodedName = encodePart(name)
  const texts = itemsOf(value).map(encodePart)
  const pairs = pairsOf(value).map(([key, text]) => [encodePart(key), encodePart(text)] as const)
  const joined = isObject(value) ? joinPairs(pairs, explode) : texts
  if (style === 'label') return `.${joined.join(explode ? '.' : ',')}`
  if (style !== 'matrix') return joined.join(',')
  if (!explode) return `;${encodedName}=${joined.join(',')}`

  return (isObject(value) ? joined : texts.map((text) => `${encodedName}=${text}`))
    .map((part) => `;${part}`)
    .join('')
}

/** The pairs of a query or form with the value of a parameter or property, percent-encoded. */
export function queryPairs(parameter: Serializable, value: unknown): readonly TextPair[] {
  const { name, style = 'form', explode = style === 'form', mediaType } = parameter
  const encodedName = encodePart(name)
  if (mediaType !== undefined) return [[encodedName, encodePart(JSON.stringify(value))]]
  if (style === 'deepObject') return deepPairs(encodedName, value)
  const pairs = pairsOf(value).map(([key, text]) => [encodePart(key), encodePart(text)] as const)
  if (isObject(value)) {
    return explode ? pairs : [[encodedName, pairs.flat().join(delimiterOf(style))]]
  }
  const texts = itemsOf(value).map(encodePart)
  return explode
    ? texts.map((text) => [encodedName, text])
    : [[encodedName, texts.join(delimiterOf(style))]]
}

/** The pairs of the whole query as a form (OpenAPI 3.2, `in: querystring`); none for another value or media type. */
export function wholeQuery(
  { mediaType = FORM }: Serializable,
  value: unknown,
): readonly TextPair[] {
  if (mediaType !== FORM || !isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => queryPairs({ name, in: 'query' }, inner))
}

/** The value of a header or cookie. Headers are not percent-encoded. */
export function headerText({ explode = false, mediaType }: Serializable, value: unknown): string {
  if (mediaType !== undefined) return JSON.stringify(value)
  return (isObject(value) ? joinPairs(pairsOf(value), explode) : itemsOf(value)).join(',')
}

const DELIMITERS: Readonly<Partial<Record<ParameterStyle, string>>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
}

function delimiterOf(style: ParameterStyle): string {
  return DELIMITERS[style] ?? ','
}

/** Each member of an object and each item of an array in brackets, at any depth, as query parsers read them. */
function deepPairs(name: string, value: unknown): readonly TextPair[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => deepPairs(isObject(item) ? `${name}[${at}]` : name, item))
  }
  if (!isObject(value)) return [[name, encodePart(textOf(value))]]
  return Object.entries(value).flatMap(([key, inner]) =>
    deepPairs(`${name}[${encodePart(key)}]`, inner),
  )
}

/** No style has lists in a list, so they are JSON as a whole. */
function itemsOf(value: unknown): readonly string[] {
  const items = [value].flat()
  return items.some(Array.isArray) ? [JSON.stringify(value)] : items.map(textOf)
}

function pairsOf(value: unknown): readonly TextPair[] {
  return isObject(value)
    ? Object.entries(value).map(([name, inner]): TextPair => [name, textOf(inner)])
    : []
}

function joinPairs(pairs: readonly TextPair[], explode: boolean): readonly string[] {
  return explode ? pairs.map((pair) => pair.join('=')) : pairs.flat()
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
