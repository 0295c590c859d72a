import { type ChosenResponse, contentOf } from '../contract/documented-response.ts'
import type { CoreRequest } from '../http/message.ts'
import { type ChosenMediaType, orderMediaTypes } from './choose-media-type.ts'
import { writerOf } from './content/writers.ts'
import { type ExampleContent, namedExample } from './documented-examples.ts'

/** An example, and the response and media type that have it. */
interface PreferredContent {
  readonly chosen: ChosenResponse
  readonly type: ChosenMediaType
  readonly example: ExampleContent
}

/** The first valid example with a name, in responses in this order, in the media type that the client wants most. */
export function preferredContent(
  name: string,
  responses: readonly ChosenResponse[],
  request: CoreRequest,
): PreferredContent | undefined {
  for (const chosen of responses) {
    const content = chosen.documented ? contentOf(chosen.documented) : []
    for (const type of orderMediaTypes(content, request.header('accept'))) {
      const { takesText } = writerOf(type.mediaType)
      const example = namedExample(name, type.media, takesText)
      if (example) return { chosen, type, example }
    }
  }
  return undefined
}
