import type { MediaType } from '../../contract/contract.ts'
import { filled, valueIn } from '../../contract/templates.ts'
import {
  documentedValue,
  type ValueContext,
  type ValueResult,
} from '../../responses/documented-value.ts'
import { isObject } from '../../validation/objects.ts'
import { mergeValues } from '../effects/effects.ts'
import type { AdmittedRequest } from './record-request.ts'

/** A request whose hints say what the response has besides the record. */
interface AnsweredRequest extends Pick<AdmittedRequest, 'binding' | 'input' | 'now'> {
  /** What placeholders stand for, besides the record; default: the parts of the request. */
  readonly values?: Readonly<Record<string, unknown>> | undefined
  /** The record that the response shows; absent when it shows none, or a list. */
  readonly record?: unknown
}

/**
 * The body of a response with what the hints of the operation say about it (`answer`). `made` is the body so far; `undefined` when it has no
 * record.
 */
export async function withAnswer(
  made: ValueResult | undefined,
  media: MediaType,
  { binding, input, now, values, record }: AnsweredRequest,
  context: ValueContext,
): Promise<ValueResult | undefined> {
  const { answer } = binding.operation.hints ?? {}
  const result = made ?? (await documentedValue(media, context, { takesText: false }))
  if ('reason' in result) return result
  const { body, query, path, header } = input
  const all = { body, query, path, header, ...values, ...(isObject(record) && { record }) }
  const set = filled(answer, (names) => valueIn(all, names))
  if (!isObject(set)) return result
  const before = isObject(result.value) ? result.value : {}

  return { ...result, value: mergeValues(before, set, now, media.schema) }
}
