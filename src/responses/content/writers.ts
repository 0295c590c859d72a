import type { PropertyEncoding } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { CoreResponse } from '../../http/message.ts'
import { isObject } from '../../validation/objects.ts'
import type { ChosenMediaType } from '../choose-media-type.ts'
import { writeValues } from './event-stream.ts'
import { writeXml } from './write-xml.ts'

/** A body, and its `Content-Type` where that is not the one of the document. */
export interface WrittenContent {
  readonly body: CoreResponse['body']
  readonly contentType?: string
}

/** Writes values in one kind of media types. */
export interface ContentWriter {
  /** Whether a text example is the content as it is sent, and no value to be written. */
  readonly takesText: boolean
  /** Whether all content is the same small file, so that no value is needed. */
  readonly isFile?: true
  /** Whether the content is the JSON text of the value. */
  readonly isJson?: true
  /** Whether the content has several values. A schema that is not of a list describes each of them. */
  readonly isSequence?: true
  /** Content for schemas of a string, where the document has no example. */
  readonly sample?: string
  /** `name` is what the value is called, such as `books`. */
  readonly write: (value: unknown, chosen: ChosenMediaType, name: string) => WrittenContent
}

/** The writer of a media type, which is in lower case and without parameters. Unknown media types are text. */
export function writerOf(mediaType: string): ContentWriter {
  const [, writer] = WRITERS.find(([pattern]) => pattern.test(mediaType)) ?? []
  return writer ?? textWriter
}

/** Text is as it is; objects and lists are JSON. */
const textWriter: ContentWriter = {
  takesText: true,
  write: (value) => ({ body: plainText(value) }),
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

const htmlWriter: ContentWriter = {
  ...textWriter,
  sample: '<!doctype html>\n<html lang="en"><title>Sandbox</title><p>Sandbox</p></html>\n',
}

/** JSON is YAML, too. */
const yamlWriter: ContentWriter = {
  takesText: true,
  write: (value) => ({ body: `${JSON.stringify(value, undefined, 2)}\n` }),
}

const jsonWriter: ContentWriter = {
  takesText: false,
  isJson: true,
  write: (value) => ({ body: JSON.stringify(value) ?? 'null' }),
}

/** Values as lines of JSON (NDJSON, JSON Lines). */
const linesWriter: ContentWriter = {
  takesText: true,
  isSequence: true,
  write: (value) => ({ body: [value].flat().map(toLine).join('') }),
}

/** Values as JSON text sequences (RFC 7464). */
const sequenceWriter: ContentWriter = {
  ...linesWriter,
  write: (value) => ({
    body: [value]
      .flat()
      .map((item) => `\u001e${toLine(item)}`)
      .join(''),
  }),
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** A few server-sent events, and then the end of the stream (HTML standard, "Server-sent events"). */
const eventsWriter: ContentWriter = {
  takesText: true,
  isSequence: true,
  sample: 'data: 1\n\ndata: 2\n\ndata: 3\n\n',
  write: (value) => ({ body: writeValues([value].flat()) }),
}

const csvWriter: ContentWriter = {
  takesText: true,
  sample: 'id,name\r\n1,Amber\r\n2,Cedar\r\n',
  write: (value, { mediaType }) => ({
    body: writeRows(value, mediaType.includes('tab') ? '\t' : ','),
  }),
}

/** How many cells a table may have for each value in it, where it has more than so many cells. */
const CELLS_PER_VALUE = 10
const MANY_CELLS = 100_000

/**
 * Rows in the form of RFC 4180. Objects get a first row with the names of all their properties. Where nearly all cells would be
 * empty, because each object has other properties, the table has only the first columns.
 */
function writeRows(value: unknown, separator: string): string {
  if (typeof value === 'string') return value
  const items = [value].flat()
  const objects = items.filter(isObject)
  const names = columnsOf(objects.map((item) => Object.keys(item)))
  const cellsOf = (item: unknown): readonly unknown[] => {
    if (isObject(item)) return names.map((name) => (Object.hasOwn(item, name) ? item[name] : ''))
    return Array.isArray(item) ? item : [item]
  }
  const rows = [...(names.length > 0 ? [names] : []), ...items.map(cellsOf)]

  return rows
    .map((cells) => `${cells.map((cell) => toCell(cell, separator)).join(separator)}\r\n`)
    .join('')
}

function columnsOf(rows: readonly (readonly string[])[]): readonly string[] {
  const names = new Set(rows.flat())
  const values = rows.reduce((sum, { length }) => sum + length, 0)
  const cells = Math.max(MANY_CELLS, CELLS_PER_VALUE * values)

  return [...names].slice(0, Math.ceil(cells / rows.length))
}

function toCell(value: unknown, separator: string): string {
  const isPlain = typeof value !== 'object' || value === null
  const text = isPlain ? String(value ?? '') : JSON.stringify(value)
  const isQuoted = /["\r\n]/.test(text) || text.includes(separator)

  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
}

type Pair = readonly [name: string, value: string]

/** A form as in `application/x-www-form-urlencoded`. */
const formWriter: ContentWriter = {
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

const BOUNDARY = 'sandbox-part-boundary'

/** Parts with a boundary (RFC 2046, and RFC 7578 for forms). */
const multipartWriter: ContentWriter = {
  takesText: false,
  write: (value, chosen) => {
    const isForm = chosen.mediaType === 'multipart/form-data'
    const entries = isObject(value) ? Object.entries(value) : [value].flat().entries()
    const parts = [...entries].flatMap(([name, inner]) =>
      [inner].flat().map((one) => toPart(String(name), one, chosen, isForm)),
    )
    const body = `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`

    return { body, contentType: `${chosen.mediaType}; boundary=${BOUNDARY}` }
  },
}

function toPart(name: string, value: unknown, { media }: ChosenMediaType, isForm: boolean): string {
  const schema = media.schema ? propertiesOf(media.schema).get(name) : undefined
  const isFile = schema?.format === 'binary'
  const [stated] = media.encoding?.[name]?.contentType?.split(',') ?? []
  const usual = typeof value === 'object' ? 'application/json' : 'text/plain; charset=utf-8'
  const type = stated ?? (isFile ? 'application/octet-stream' : usual)
  const escaped = name.replace(/["\r\n]/g, encodeURIComponent)
  const file = isFile ? `; filename="${escaped}"` : ''
  const disposition = isForm ? `Content-Disposition: form-data; name="${escaped}"${file}\r\n` : ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)

  return `${disposition}Content-Type: ${type}\r\n\r\n${text}`
}

const xmlWriter: ContentWriter = {
  takesText: true,
  sample: '<?xml version="1.0" encoding="UTF-8"?>\n<root/>\n',
  write: (value, { media }, name) => ({ body: writeXml(value, media.schema ?? {}, name) }),
}

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1"/></svg>'

const svgWriter: ContentWriter = {
  takesText: true,
  isFile: true,
  write: () => ({ body: SVG }),
}

const fileWriter: ContentWriter = {
  takesText: false,
  isFile: true,
  write: (_value, { mediaType }) => ({ body: sampleFile(mediaType) }),
}

/** The media types of files whose content does not follow from a value. */
const FILE =
  /^(image|audio|video|font)\/|^application\/((x-|vnd\.)?(octet-stream|pdf|zip|x-zip|gzip|tgz|tar|7z|rar|bzip2?|mp4|binary|msword)|vnd\.(ms-|openxmlformats))/

/** How content of each media type is written. The first entry that fits counts. */
const WRITERS: readonly (readonly [mediaType: RegExp, writer: ContentWriter])[] = [
  // Nearly all bodies.
  [/^application\/json$/, jsonWriter],
  [
    /^application\/(x-)?(ndjson|jsonl|jsonlines|json-lines|nd-json|stream\+json|json-stream)$/,
    linesWriter,
  ],
  [/[/+]json-seq$/, sequenceWriter],
  [/[/+]json$/, jsonWriter],
  [/^text\/event-stream$/, eventsWriter],
  [/^(text|application)\/(csv|tab-separated-values)$/, csvWriter],
  [/^image\/svg\+xml$/, svgWriter],
  [/^(text\/html|application\/xhtml\+xml)$/, htmlWriter],
  [/[/+]xml$/, xmlWriter],
  [/^application\/x-www-form-urlencoded$/, formWriter],
  [/^multipart\//, multipartWriter],
  [/[/+](x-)?yaml$/, yamlWriter],
  [FILE, fileWriter],
]

/** Small valid files as base64, by their media types: images of one pixel, an empty page, short silence, archives of one line. */
const FILES: Readonly<Record<string, string>> = {
  'image/bmp': 'Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAAgICAAA==',
  'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'image/jpeg':
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////' +
    '////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAB' +
    'PxA=',
  'image/x-icon':
    'AAABAAEAAQEAAAEAIABDAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAABAAAAAQgAAAAAOn6bVQAAAApJREFUeNpj' +
    'aAAAAIIAgdpFCDsAAAAASUVORK5CYII=',
  'image/png':
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJg' +
    'gg==',
  'image/webp': 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  'audio/mpeg':
    '/+MYxAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
    'AAAAAAAA',
  'audio/wav': 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==',
  'video/mp4':
    'AAAAHGZ0eXBpc29tAAACAGlzb21pc28ybXA0MQAAAHRtb292AAAAbG12aGQAAAAAAAAAAAAAAAAAAAPoAAAAAAAB' +
    'AAABAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAA' +
    'AAAAAAAAAAAAAAAC',
  'application/gzip': 'H4sIAAAAAAACAytOzEtJyq/gAgCZGOfhCAAAAA==',
  'application/pdf':
    'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+IGVuZG9iagoyIDAgb2JqPDwvVHlw' +
    'ZS9QYWdlcy9LaWRzWzMgMCBSXS9Db3VudCAxPj4gZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIg' +
    'MCBSL01lZGlhQm94WzAgMCA5OSA5OV0+PiBlbmRvYmoKeHJlZgowIDQKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAw' +
    'MDAwMDA5IDAwMDAwIG4gCjAwMDAwMDAwNTMgMDAwMDAgbiAKMDAwMDAwMDEwMyAwMDAwMCBuIAp0cmFpbGVyPDwv' +
    'U2l6ZSA0L1Jvb3QgMSAwIFI+PgpzdGFydHhyZWYKMTY1CiUlRU9GCg==',
  'application/zip':
    'UEsDBBQAAAAAAAAAIVyZGOfhCAAAAAgAAAAIAAAAZmlsZS50eHRzYW5kYm94ClBLAQIUAxQAAAAAAAAAIVyZGOfh' +
    'CAAAAAgAAAAIAAAAAAAAAAAAAACAAQAAAABmaWxlLnR4dFBLBQYAAAAAAQABADYAAAAuAAAAAAA=',
  'application/octet-stream': 'AAECAwQFBgcICQoLDA0ODw==',
}

/** The media types of files that have several names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp4': 'video/mp4',
  'application/mp4': 'video/mp4',
  'application/x-gzip': 'application/gzip',
  'application/x-tgz': 'application/gzip',
  'application/x-pdf': 'application/pdf',
  'application/zip-compressed': 'application/zip',
  'application/x-zip': 'application/zip',
  'application/x-zip-compressed': 'application/zip',
}

/** The file that stands for all other media types of a kind. */
const BY_KIND: Readonly<Record<string, string>> = {
  audio: 'audio/wav',
  image: 'image/png',
  video: 'video/mp4',
}

/** A small valid file of a media type; of another type of the same kind where there is none. */
function sampleFile(mediaType: string): Uint8Array {
  const [kind = ''] = mediaType.split('/')
  const usual = BY_KIND[kind] ?? 'application/octet-stream'
  const file = FILES[OTHER_NAMES[mediaType] ?? mediaType] ?? FILES[usual] ?? ''
  return Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0))
}
