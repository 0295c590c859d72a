import type { PropertyEncoding, Schema } from '../../contract/contract.ts'
import { isJson } from '../../contract/json.ts'
import { branchesOf, type Preference } from '../../contract/meanings.ts'
import { elementValue, type XmlElement } from '../../contract/xml-value.ts'
import { ValueLimit } from '../../http/body-limits.ts'
import { isXml, serializeBody } from '../../requests/serialize-body.ts'
import { FORM } from '../../requests/serialize-parameter.ts'
import { isObject } from '../../validation/objects.ts'
import { multipartType, type RequestPart } from '../api-request.ts'
import { firstValue, isBinary, type NamedSchemas, viewOf } from '../schema-view.ts'
import type { FormDetails, SampleRequest } from './operation.ts'

/** How a body of a media type is edited. */
export type BodyKind = 'json' | 'form' | 'xml' | 'multipart' | 'binary' | 'text'

/** The body of a request in one media type. */
export interface BodyContent {
  readonly mediaType: string
  readonly kind: BodyKind
  /** Empty when any value is allowed. */
  readonly schema: Schema
  readonly encoding?: Readonly<Record<string, PropertyEncoding>> | undefined
  readonly examples: readonly { readonly name?: string; readonly value?: unknown }[]
}

/** What the body of an operation can be. */
export interface BodyOptions {
  readonly contents: readonly BodyContent[]
  readonly schemas: NamedSchemas
  /** The schema of the first media type without references, by which XML is written. */
  readonly plain: Schema
}

/** What is typed for a body. */
export interface BodyForm {
  readonly mediaType: string
  readonly value: unknown
  /** What is typed as text in place of the value. */
  readonly text?: string | undefined
  /** The chosen file, where the whole body is one. */
  readonly file?: File | undefined
  /** Whether the text is edited, and not the fields. */
  readonly isText: boolean
}

/** What the body of an operation can be; `undefined` without a body. */
export function bodyOf({ body, documentation }: FormDetails): BodyOptions | undefined {
  if (!body) return undefined
  const schemas = documentation?.schemas ?? {}
  const documented = documentation?.body?.content ?? []
  const contents = body.contentTypes.map((mediaType): BodyContent => {
    const found = documented.find((one) => baseOf(one.mediaType) === mediaType)
    const { schema = found ? {} : body.schema, encoding, examples = [] } = found ?? {}
    return { mediaType, kind: kindOf(mediaType, schema, schemas), schema, encoding, examples }
  })

  return { contents, schemas, plain: body.schema }
}

/** A media type in lower case and without parameters. */
function baseOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase()
}

function kindOf(mediaType: string, schema: Schema, schemas: NamedSchemas): BodyKind {
  if (isJson(mediaType)) return 'json'
  if (mediaType === FORM) return 'form'
  if (mediaType.startsWith('multipart/')) return 'multipart'
  if (isXml(mediaType) && viewOf(schema, schemas).types.length > 0) return 'xml'
  const isText = /^text\/|[/+](xml|yaml|jsonl?|csv)$|jsonl|ndjson|json-seq/.test(mediaType)
  return isBinary(viewOf(schema, schemas)) || !isText ? 'binary' : 'text'
}

/** The content of the media type of a form. */
export function contentOf({ mediaType }: BodyForm, { contents }: BodyOptions): BodyContent {
  const base = baseOf(mediaType)
  return (
    contents.find((one) => one.mediaType === base) ??
    contents[0] ?? { mediaType: base, kind: 'text', schema: {}, examples: [] }
  )
}

/** The body of a valid request. */
export async function readBody(
  { body: text = '', contentType }: SampleRequest,
  options: BodyOptions,
): Promise<BodyForm> {
  const [first] = options.contents
  const mediaType = baseOf(contentType ?? first?.mediaType ?? '')
  const content = contentOf({ mediaType, value: undefined, isText: false }, options)
  const form = { mediaType: content.mediaType, isText: content.kind === 'text' }
  if (text === '') return { ...form, value: firstValue(content.schema, options.schemas) }
  if (content.kind === 'binary') {
    const file = new File([text], 'sample', { type: content.mediaType })
    return { ...form, value: undefined, file }
  }
  const value = await readText(text, contentType ?? mediaType, content, options)
  const isKept =
    content.kind === 'text' || value === undefined || LONG_NUMBER.test(text.replace(QUOTED, ''))

  return {
    ...form,
    isText: isKept,
    value: value ?? firstValue(content.schema, options.schemas),
    ...(isKept && { text }),
  }
}

/** JavaScript would alter a number of so many digits. */
const LONG_NUMBER = /\d{16}/

/** What is between quotes is no number. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** The value of a text; `undefined` when it has none. */
async function readText(
  text: string,
  contentType: string,
  { kind, schema }: BodyContent,
  { schemas, plain }: BodyOptions,
): Promise<unknown> {
  if (kind === 'json') return readJson(text)
  if (kind === 'xml') return readXml(text, plain)
  if (kind !== 'form' && kind !== 'multipart') return undefined
  const headers = { 'Content-Type': contentType }
  const data = await new Response(text, { headers }).formData().catch(() => undefined)

  return data && toValue([...data], schema, schemas)
}

/** The value of a form. Pairs with the same name are a list. */
function toValue(
  pairs: readonly (readonly [string, unknown])[],
  schema: Schema,
  schemas: NamedSchemas,
): unknown {
  const { properties = {} } = viewOf(schema, schemas).schema
  const names = [...new Set(pairs.map(([name]) => name))]

  return Object.fromEntries(
    names.map((name) => {
      const { types, schema: own } = viewOf(properties[name] ?? {}, schemas)
      const isList = types.includes('array')
      const values = pairs
        .filter(([given]) => given === name)
        .map(([, value]) =>
          readPart(value, isList ? viewOf(own.items ?? {}, schemas).types : types),
        )

      return [name, isList || values.length > 1 ? values : values[0]]
    }),
  )
}

/** Texts stay texts, where they can be. */
function readPart(value: unknown, types: readonly string[]): unknown {
  if (typeof value !== 'string' || types.length === 0 || types.includes('string')) return value
  return readJson(value) ?? value
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text of a body, as it is edited: JSON in lines. */
export function textOf(body: BodyForm, options: BodyOptions): string {
  const { value, text } = body
  if (text !== undefined) return text
  const content = contentOf(body, options)
  if (content.kind === 'json') return JSON.stringify(value, null, 2) ?? ''
  const { mediaType, encoding } = content
  const media = { mediaType, schema: options.plain, ...(encoding && { encoding }) }

  return serializeBody(media, value)?.text ?? ''
}

/** The body with the value that its text means; unchanged when the text means none. */
export function withValue(body: BodyForm, options: BodyOptions): BodyForm {
  const { text, ...rest } = body
  const value = text === undefined ? undefined : valueIn(text, contentOf(body, options), options)

  return value === undefined ? body : { ...rest, value }
}

function valueIn(
  text: string,
  { kind, schema }: BodyContent,
  { schemas, plain }: BodyOptions,
): unknown {
  if (kind === 'form') return toValue([...new URLSearchParams(text)], schema, schemas)
  return kind === 'xml' ? readXml(text, plain) : readJson(text)
}

/** The same value in another media type. A text that means no value is kept as it is. */
export function inMediaType(body: BodyForm, mediaType: string, options: BodyOptions): BodyForm {
  const next = { ...withValue(body, options), mediaType }
  const { kind } = contentOf(next, options)

  return { ...next, isText: kind === 'text' || (kind !== 'multipart' && next.isText) }
}

/** What is sent as the body of a request. */
export interface SendableBody {
  /** The value of `Content-Type`. */
  readonly type: string
  readonly text?: string
  readonly file?: File
  readonly parts?: readonly RequestPart[]
}

/** The body of a form, as it is sent; `undefined` for none. */
export function sendable(body: BodyForm, options: BodyOptions): SendableBody | undefined {
  const { value, file, mediaType } = body
  const content = contentOf(body, options)
  if (content.kind === 'binary') {
    const own = mediaType.includes('*') ? '' : mediaType
    return file && { type: own || file.type || 'application/octet-stream', file }
  }
  if (content.kind === 'multipart') {
    const parts = isObject(value) ? partsOf(value, content) : []
    return { type: multipartType(mediaType), parts }
  }
  const text = textOf(body, options)

  return text === '' ? undefined : { type: mediaType, text }
}

/** A part for each property, and for each item of a list. */
function partsOf(
  value: Readonly<Record<string, unknown>>,
  { encoding = {} }: BodyContent,
): readonly RequestPart[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    [inner].flat().map((item): RequestPart => {
      const [documented] = encoding[name]?.contentType?.split(',') ?? []
      if (item instanceof File) return { name, file: item }
      const isText = typeof item !== 'object' || item === null
      const type = documented?.trim() ?? (isText ? undefined : 'application/json')
      return { name, text: isText ? String(item) : JSON.stringify(item), ...(type && { type }) }
    }),
  )
}

/** Longer texts are no value. */
const MAX_LENGTH = 1_000_000

/** The value of an XML text by a schema without references, as the sandbox reads it; `undefined` for a text that is no XML. */
function readXml(text: string, schema: Schema): unknown {
  if (text.length > MAX_LENGTH) return undefined
  // It loads nothing: external entities are left out.
  const parsed = new DOMParser().parseFromString(text, 'application/xml')
  if (parsed.getElementsByTagName('parsererror').length > 0) return undefined
  const limit = ValueLimit.ofXml(MAX_LENGTH)
  const others = new Set<Preference>()
  const root = toElement(parsed.documentElement)

  return elementValue(root, branchesOf(schema), { preference: 'type', others, limit })
}

function toElement(element: Element): XmlElement {
  const texts = [...element.childNodes].filter((node) => node instanceof Text)
  return {
    name: element.localName,
    attributes: new Map([...element.attributes].map((one) => [one.localName, one.value])),
    children: [...element.children].map(toElement),
    text: texts.map(({ data }) => data).join(''),
  }
}
