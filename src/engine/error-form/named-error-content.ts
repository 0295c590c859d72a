import type { MediaType } from '../../contract/contract.ts'
import type { CoreResponse } from '../../http/message.ts'
import { orderMediaTypes } from '../../responses/choose-media-type.ts'
import { writerOf } from '../../responses/content/writers.ts'
import { namedExample } from '../../responses/documented-examples.ts'
import { appliedExample, preferredExample } from '../../responses/preferred-example.ts'

/** The content of a response, and its headers. */
export type ErrorContent = Pick<CoreResponse, 'headers' | 'body'>

/** The media types of an error, and the `Accept` of the request. */
export interface ErrorTypes {
  readonly content: readonly MediaType[]
  readonly accept: string | undefined
}

/** The example that a request prefers (`Prefer: example=NAME`), as the document has it; `undefined` when there is none. */
export function namedErrorContent(
  prefer: string | undefined,
  { headers }: Pick<CoreResponse, 'headers'>,
  { content, accept }: ErrorTypes,
): ErrorContent | undefined {
  const name = preferredExample(prefer)
  if (name === undefined) return undefined
  for (const chosen of orderMediaTypes(content, accept)) {
    const { takesText, write } = writerOf(chosen.mediaType)
    const example = namedExample(name, chosen.media, takesText)
    if (!example) continue
    const { value, isSerialized } = example
    const { body, contentType = chosen.contentType } = isSerialized
      ? { body: String(value) }
      : write(value, chosen, 'error')
    const applied = [headers['Preference-Applied'] ?? [], appliedExample(name)].flat().join(', ')

    return { headers: { 'Content-Type': contentType, 'Preference-Applied': applied }, body }
  }
  return undefined
}
