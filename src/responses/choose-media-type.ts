import type { MediaType, Schema } from '../contract/contract.ts'
import { once } from '../validation/objects.ts'

/** The media type of a response. */
export interface ChosenMediaType {
  /** What the document says about it. */
  readonly media: MediaType
  /** In lower case, without parameters, and never a range. */
  readonly mediaType: string
  /** The value of `Content-Type`. */
  readonly contentType: string
}

/** A media type for each range, where the client asks for none in particular. */
const USUAL: Readonly<Record<string, string>> = {
  'application/*': 'application/json',
  'audio/*': 'audio/wav',
  'image/*': 'image/png',
  'text/*': 'text/plain',
  'video/*': 'video/mp4',
}

/** What documents write instead of a media type. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  pdf: 'application/pdf',
  text: 'text/plain',
  xml: 'application/xml',
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/

/**
 * The media types of a response in the order in which the client wants them (`Accept`), those that it does not accept last. Of
 * those that it wants equally, the first one of the content comes first, which is JSON where there is JSON.
 */
export function orderMediaTypes(
  content: readonly MediaType[],
  accept: string | undefined,
): readonly RatedMediaType[] {
  return accept === undefined || accept === '*/*' ? inOrder(content) : rated(content, accept)
}

type RatedMediaType = ChosenMediaType & { readonly isAccepted: boolean }

/** The media types for a client that accepts all. */
const inOrder = once((content: readonly MediaType[]) => rated(content, ''))

function rated(content: readonly MediaType[], accept: string): readonly RatedMediaType[] {
  const accepted = parseAccept(accept)
  const isAnyAccepted = accepted.length === 0
  const rates = content.map((media) => {
    const chosen = concreteMediaType(media, accepted)
    return { chosen, quality: isAnyAccepted ? 1 : qualityOf(chosen.mediaType, accepted) }
  })

  return rates
    .sort((one, other) => other.quality - one.quality)
    .map(({ chosen, quality }) => ({ ...chosen, isAccepted: quality > 0 }))
}

/** The media type as a response can state it: a range becomes the type that the client names, else a usual one. */
function concreteMediaType(
  media: MediaType,
  accepted: ReturnType<typeof parseAccept>,
): ChosenMediaType {
  const { contentType } = media
  const [mediaType = ''] = media.mediaType.split(',')
  if (!MEDIA_TYPE.test(mediaType))
    return simple(media, SHORT_NAMES[mediaType] ?? 'application/json')
  if (!mediaType.includes('*')) {
    const isStated = contentType !== undefined && /^[\x20-\x7e]+$/.test(contentType)
    const stated = isStated && !media.mediaType.includes(',') ? contentType : withCharset(mediaType)
    return { media, mediaType, contentType: stated }
  }
  if (isFile(media.schema) && mediaType === '*/*') return simple(media, 'application/octet-stream')
  const [type = ''] = mediaType.split('*')
  const named = [...accepted]
    .sort((one, other) => other.quality - one.quality)
    .find(({ range, quality }) => quality > 0 && range.startsWith(type) && !range.includes('*'))

  return simple(media, named?.range ?? USUAL[mediaType] ?? 'application/json')
}

function isFile(schema: Schema | undefined): boolean {
  return schema?.type === 'string' && schema.format === 'binary'
}

function simple(media: MediaType, mediaType: string): ChosenMediaType {
  return { media, mediaType, contentType: withCharset(mediaType) }
}

/** Text without a charset may be read as another one than UTF-8. */
function withCharset(mediaType: string): string {
  return /^text\/(plain|html|csv)$/.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType
}

/** One media range of an `Accept` header, with its quality from 0 to 1. */
interface AcceptedRange {
  readonly range: string
  readonly quality: number
}

/** The media ranges of an `Accept` header (RFC 9110, section 12.5.1). Parameters other than `q` are ignored. */
export function parseAccept(header: string): readonly AcceptedRange[] {
  return header
    .toLowerCase()
    .split(',')
    .map((element) => element.split(';').map((part) => part.trim()))
    .filter(([range = '']) => range.includes('/'))
    .map(([range = '', ...parameters]) => ({ range, quality: qualityIn(parameters) }))
}

function qualityIn(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1]
  const quality = Number(text?.trim() || '1')

  return quality >= 0 && quality <= 1 ? quality : 1
}

/** What JSON is worth to a client that asks for a type of JSON: less than that type, but it can read it. */
const PLAIN_JSON = 0.9

/**
 * How much a client wants a media type: the quality of the most specific range that has it; 0 when none has. Clients that ask for a type of
 * JSON such as `application/vnd.acme+json`, often by habit, can read JSON.
 */
export function qualityOf(mediaType: string, accepted: readonly AcceptedRange[]): number {
  const [type = ''] = mediaType.split('/')
  const isStated = accepted.some(({ range }) => range === mediaType)
  const json = accepted.find(({ range, quality }) => range.endsWith('+json') && quality > 0)
  if (mediaType === 'application/json' && !isStated && json) return json.quality * PLAIN_JSON
  for (const wanted of [mediaType, `${type}/*`, '*/*']) {
    const found = accepted.find(({ range }) => range === wanted)
    if (found) return found.quality
  }
  return 0
}
