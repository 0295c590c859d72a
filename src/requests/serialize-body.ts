import type { MediaType, PropertyEncoding } from '../contract/contract.ts'
import { isJson, isSequenceType } from '../contract/json.ts'
import { propertiesOf } from '../contract/schema.ts'
import { writeXml } from '../responses/content/write-xml.ts'
import { isObject } from '../validation/objects.ts'
import { FORM, queryPairs } from './serialize-parameter.ts'

/** A request body as it is sent. */
export interface SerializedBody {
  readonly text: string
  /** The value of `Content-Type`. */
  readonly type: string
}

const MULTIPART = /^multipart\//

/** Separates the parts of a multipart body. No generated value contains it. */
const BOUNDARY = 'pet-sandbox-8c1f0b2e'

/** Whether {@link serializeBody} knows the format. Others are sent only when the value is a text. */
export function isWritable({ mediaType }: MediaType): boolean {
  return (
    isJson(concreteType(mediaType)) ||
    mediaType === FORM ||
    MULTIPART.test(mediaType) ||
    isXml(mediaType) ||
    isSequenceType(mediaType)
  )
}

/** A value in the format of a media type; `undefined` when the format is unknown and the value is not a text. */
export function serializeBody(media: MediaType, value: unknown): SerializedBody | undefined {
  const type = concreteType(media.contentType ?? media.mediaType)
  const base = concreteType(media.mediaType)
  if (isJson(base)) return { text: JSON.stringify(value), type }
  if (isSequenceType(base)) return { text: linesOf(value, media), type }
  if (base === FORM && isObject(value)) return { text: formText(value, media), type }
  if (MULTIPART.test(base) && isObject(value)) {
    return { text: multipartText(value, media), type: `${base}; boundary=${BOUNDARY}` }
  }
  if (isXml(base)) return { text: xmlText(value, media), type }
  // A text cannot be the parts of a multipart body, because it does not say what separates them.
  return typeof value === 'string' && !MULTIPART.test(base) ? { text: value, type } : undefined
}

/** A line for each item of a sequence. The schema describes the items or their list. */
function linesOf(value: unknown, { isSequence }: MediaType): string {
  const items = isSequence || !Array.isArray(value) ? [value] : value
  return items.map((item) => `${JSON.stringify(item)}\n`).join('')
}

export function isXml(mediaType: string): boolean {
  return /[/+]xml$/.test(mediaType)
}

/** A text that is XML already is sent as it is. */
function xmlText(value: unknown, { schema = {} }: MediaType): string {
  return typeof value === 'string' && value.startsWith('<')
    ? value
    : writeXml(value, schema, 'body')
}

/** A media type for a range such as `text/*`. */
function concreteType(mediaType: string): string {
  if (!mediaType.includes('*')) return mediaType
  const [main = ''] = mediaType.split('/')
  const concrete: Readonly<Record<string, string>> = { text: 'text/plain', image: 'image/png' }

  return concrete[main] ?? 'application/json'
}

/** Without an `encoding`, objects in a form are JSON texts. */
function formText(value: Readonly<Record<string, unknown>>, { encoding }: MediaType): string {
  return Object.entries(value)
    .flatMap(([name, inner]) => {
      const { contentType, ...style } = encoding?.[name] ?? {}
      const isNested = [inner].flat().some((item) => typeof item === 'object')
      const isText = contentType === undefined && (style.style !== undefined || !isNested)
      const sent = isText ? inner : JSON.stringify(inner)
      return queryPairs({ name, in: 'query', ...style }, sent)
    })
    .map((pair) => pair.join('='))
    .join('&')
}

/** A part for each property, and for each item of an array. Binary properties are files. */
function multipartText(
  value: Readonly<Record<string, unknown>>,
  { schema = {}, encoding }: MediaType,
): string {
  const properties = propertiesOf(schema)
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const property = properties.get(name) ?? {}
    const items = Array.isArray(inner) ? inner : [inner]
    const { format, contentMediaType } = (Array.isArray(inner) && property.items) || property
    const isFile = format === 'binary' || contentMediaType !== undefined
    return items.map((item) => partText(name, item, isFile, encoding?.[name]))
  })
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

function partText(
  name: string,
  value: unknown,
  isFile: boolean,
  { contentType }: PropertyEncoding = {},
): string {
  const isNested = typeof value === 'object'
  const usual = usualType(isNested, isFile)
  const [documented = usual] = contentType?.split(',').map((one) => concreteType(one.trim())) ?? []
  const fileName = isFile ? '; filename="file"' : ''
  const quotedName = name.replace(/["\r\n]/g, (character) => encodeURIComponent(character))
  const type = documented === undefined ? '' : `Content-Type: ${documented}\r\n`
  const text = isNested ? JSON.stringify(value) : String(value)

  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${quotedName}"${fileName}\r\n${type}\r\n${text}\r\n`
}

/** The media type of a part without an encoding; texts have none. */
function usualType(isNested: boolean, isFile: boolean): string | undefined {
  if (isNested) return 'application/json'
  return isFile ? 'application/octet-stream' : undefined
}
