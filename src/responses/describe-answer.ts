import type { Operation } from '../contract/contract.ts'
import { chooseResponse, contentOf } from '../contract/documented-response.ts'
import { hasContent } from '../http/message.ts'
import { orderMediaTypes } from './choose-media-type.ts'

/** What an operation without records answers, such as `200 application/json with a generated value`. */
export function describeAnswer(operation: Operation): string {
  const { status, documented } = chooseResponse(operation)
  const content = documented && hasContent(status) ? contentOf(documented) : []
  const [usual] = orderMediaTypes(content, undefined)
  if (!usual) return `${status} without content`
  const source = usual.media.examples ? 'a valid example or a generated value' : 'a generated value'

  return `${status} ${usual.mediaType} with ${source}`
}
