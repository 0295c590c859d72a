import type { MediaType } from '../../contract/contract.ts'
import { type AnsweringService, generationTime } from '../../responses/answering-service.ts'
import { orderMediaTypes } from '../../responses/choose-media-type.ts'
import { writerOf } from '../../responses/content/writers.ts'
import { prefersGenerated } from '../../responses/preferred-example.ts'
import type { ErrorFacts } from './error-facts.ts'
import type { ErrorResponse } from './error-response.ts'
import { errorValue, type FoundValue } from './error-value.ts'
import type { ErrorContent, ErrorTypes } from './named-error-content.ts'

/** How content is made. */
interface ContentContext extends ErrorTypes {
  readonly prefer: string | undefined
  readonly service: AnsweringService
}

/** The content of an error in the media type that the client wants most. */
export async function errorContent(
  { operation }: ErrorResponse,
  facts: ErrorFacts,
  { content, accept, prefer, service }: ContentContext,
): Promise<ErrorContent | undefined> {
  const [chosen] = orderMediaTypes(content, accept)
  if (!chosen) return undefined
  const { media, mediaType } = chosen
  const { write, takesText, isFile } = writerOf(mediaType)
  const hasText = isFile || (takesText && !media.schema && !media.examples)
  const found: FoundValue = hasText
    ? { value: facts.message }
    : await errorValue(media, facts, {
        status: facts.status,
        seed: `${service.settings.seed} ${operation.id} ${facts.status}`,
        now: generationTime(service),
        isDynamic: prefersGenerated(prefer),
      })
  if (found.reason !== undefined) {
    const { id, method, path } = operation
    const { status } = facts
    const missing = { operation: id, method, path, status, mediaType, reason: found.reason }
    reportOnce(media, () => service.settings.contract.onResponseMissing?.(missing))
  }
  const { body, contentType = chosen.contentType } = write(found.value, chosen, 'error')

  return { headers: { 'Content-Type': contentType }, body }
}

/** The media types whose bodies cannot be made, and were reported. */
const reported = new WeakSet<MediaType>()

function reportOnce(media: MediaType, report: () => void): void {
  if (reported.has(media)) return
  reported.add(media)
  report()
}
