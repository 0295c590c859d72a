import { ValueLimit } from '../../http/body-limits.ts'
import type { MediaType, Schema } from '../contract.ts'
import { isJson } from '../is-json.ts'
import { parseJson } from '../parse-json.ts'
import { bytesToString, decodeText, invalidBody } from './body-text.ts'
import { type Branches, branchesOf, typesOf } from './branches.ts'
import type { SentType } from './choose-content.ts'
import { formNode } from './form-node.ts'
import { meanings } from './parameter-value.ts'
import { createFormSource } from './query-nodes.ts'
import { parsePairs } from './sent-pairs.ts'
import { isSequenceType, parseSequence } from './sequence.ts'
import { type TextNode, textNode } from './text-node.ts'

/** A body, and the documented content for its media type. */
export interface SentBody {
  readonly bytes: Uint8Array
  readonly type: SentType
  readonly content: MediaType
}

/** What a body means. */
export interface BodyMeanings {
  /** All values that it may mean, the most probable one first. */
  readonly values: Iterable<unknown>
  /** `bytes`: only the length is checked. `any`: the content is in a form that the sandbox does not read. */
  readonly checked?: 'bytes' | 'any'
}

/** The most fields that a form may have. */
const MAX_FIELDS = 10_000

/**
 * The possible values of a body by its media type. Throws a 400 when it cannot be parsed, and a 413 for too many values. `bodyLimit`
 * is the size limit of the body in bytes.
 */
export async function bodyMeanings(body: SentBody, bodyLimit: number): Promise<BodyMeanings> {
  const { bytes, content } = body
  const { mediaType, parameters } = body.type
  const { schema = {} } = content
  const branches = branchesOf(schema)
  const limit = ValueLimit.ofBody(bodyLimit)
  if (isJson(mediaType)) return { values: [await parseJson(bytes, limit)] }
  if (isSequenceType(mediaType)) return { values: [await parseSequence(bytes, limit)] }
  if (mediaType === 'application/x-www-form-urlencoded') {
    const text = decodeText(bytes)
    const { values } = fromNode(formOf(text, content, schema, limit), branches, limit)
    // Some documents describe a form as one text.
    return { values: typesOf(branches).has('string') ? [...values, text] : values }
  }
  if (mediaType === 'multipart/form-data') {
    const { multipartNode } = await import('./multipart.ts')
    const node = multipartNode(bytes, parameters.get('boundary'), content, limit)
    return fromNode(node, branches, limit)
  }
  if (/[/+]xml$/.test(mediaType)) {
    const { xmlMeanings } = await import('./xml.ts')
    const text = decodeText(bytes, parameters.get('charset'))
    return { values: xmlMeanings(text, content.schema, ValueLimit.ofXml(bodyLimit)) }
  }
  if (mediaType === 'text/csv' && typesOf(branches).has('array')) {
    const { csvMeanings } = await import('./csv.ts')
    return { values: csvMeanings(decodeText(bytes, parameters.get('charset')), branches, limit) }
  }
  if (mediaType.startsWith('text/')) {
    return textMeanings(decodeText(bytes, parameters.get('charset')), branches, limit)
  }
  return binaryMeanings(bytes, branches)
}

function fromNode(node: TextNode, branches: Branches, limit: ValueLimit): BodyMeanings {
  return { values: meanings(node, branches, limit) }
}

function formOf(
  text: string,
  { encoding }: MediaType,
  schema: Schema,
  limit: ValueLimit,
): TextNode {
  const pairs = parsePairs(text, /&/, MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) throw invalidBody(`must have at most ${MAX_FIELDS} fields`)
  return formNode(schema, createFormSource(pairs, []), limit, encoding)
}

/** A text is validated as what its schema allows. Where that is no simple value, the text is in a form that is not read. */
function textMeanings(text: string, branches: Branches, limit: ValueLimit): BodyMeanings {
  const types = typesOf(branches)
  const isSimple = types.size === 0 || [...types].some((type) => !/^(object|array)$/.test(type))
  return isSimple ? fromNode(textNode([text]), branches, limit) : { values: [text], checked: 'any' }
}

/** Bytes as a string: UTF-8 text as it is, other bytes as one character each. */
function binaryMeanings(bytes: Uint8Array, branches: Branches): BodyMeanings {
  const types = typesOf(branches)
  return {
    values: [bytesToString(bytes)],
    checked: types.size === 0 || types.has('string') ? 'bytes' : 'any',
  }
}
