import type { MediaType, RequestBody } from '../../contract/contract.ts'
import { isJson } from '../../contract/is-json.ts'
import { xmlMeanings } from '../../contract/reading/xml.ts'
import { ValueLimit } from '../../http/body-limits.ts'
import { isWritable, isXml, type SerializedBody, serializeBody } from './serialize-body.ts'
import { validValue } from './valid-value.ts'

/** A valid body of an operation. */
export interface BodyInput extends SerializedBody {
  readonly value: unknown
  readonly media: MediaType
}

/** The body of the first media type for which there is one: JSON first, then other known formats. `undefined` when there is none. */
export async function bodyInput(body: RequestBody): Promise<BodyInput | undefined> {
  const media = mediaTypesOf(body)
  for (const one of [...media].sort((a, b) => Number(isWritable(b)) - Number(isWritable(a)))) {
    const found = await bodyOf(one)
    if (found) return found
  }
  return undefined
}

/** The content of a body in each media type, JSON first. */
function mediaTypesOf(body: RequestBody): readonly MediaType[] {
  const { content, mediaTypes, schema, validate, example } = body
  return (
    content ??
    mediaTypes.map((mediaType) => ({
      mediaType,
      schema,
      validate,
      ...(example !== undefined && { examples: [{ value: example }] }),
    }))
  )
}

async function bodyOf(media: MediaType): Promise<BodyInput | undefined> {
  const { mediaType, schema = {}, validate, examples = [] } = media
  const values = examples.flatMap(({ value }) =>
    // A text may be the value as it is sent.
    typeof value === 'string' && isJson(mediaType) ? [value, parseJson(value)] : [value],
  )
  const value = await validValue(
    { place: 'body', schema, examples: values, ...(validate && { validate }) },
    (one) => isReadable(serializeBody(media, one), media),
  )
  const serialized = value === undefined ? undefined : serializeBody(media, value)

  return serialized && { ...serialized, value, media }
}

/** Whether a body that is written means a valid value again. XML has no empty list, for example. */
function isReadable(
  serialized: SerializedBody | undefined,
  { mediaType, schema, validate }: MediaType,
): boolean {
  if (!serialized || !isXml(mediaType) || !schema || !validate) return serialized !== undefined
  const limit = ValueLimit.ofXml(serialized.text.length)
  return xmlMeanings(serialized.text, schema, limit).some((value) => validate(value))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
