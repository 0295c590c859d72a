import type { ResponseHeader } from '../contract/contract.ts'
import { generateDocumentedValue } from '../generate/generate-value.ts'
import type { CoreResponse } from '../http/message.ts'
import { once } from '../validation/objects.ts'
import { generationTime } from './answering-service.ts'
import { headerText } from './header-text.ts'
import {
  canBeKnown,
  type HeaderContext,
  isDocumentsHeader,
  isOnlyTrue,
  knownHeader,
} from './known-headers.ts'

/** A generated or documented text that is longer is not sent: many clients refuse headers of more than 8 or 16 KiB together. */
const MAX_LENGTH = 2000
const MAX_TOTAL_LENGTH = 6000

/**
 * A response with the headers that the document declares for it, besides its own ones: with the values that are known, else with
 * those of an example, else with generated ones.
 */
export async function withDocumentedHeaders(
  response: CoreResponse,
  declared: readonly ResponseHeader[],
  context: HeaderContext,
): Promise<CoreResponse> {
  const possible = possibleHeaders(declared)
  if (possible.length === 0) return response
  const present = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()))
  const added: [string, string][] = []
  let left = MAX_TOTAL_LENGTH
  for (const header of possible) {
    const name = header.name.toLowerCase()
    if (present.has(name)) continue
    present.add(name)
    const text = await textOf(header, response, context)
    if (text === undefined || text.length > Math.min(left, MAX_LENGTH)) continue
    left -= text.length
    added.push([header.name, text])
  }
  if (added.length === 0) return response

  return { ...response, headers: { ...response.headers, ...Object.fromEntries(added) } }
}

/** The headers that a response may have because the document declares them. */
const possibleHeaders = once((declared: readonly ResponseHeader[]) =>
  declared.filter(({ name, required }) => {
    const lower = name.toLowerCase()
    const isNeverKnown = isOnlyTrue(lower) && !required && !canBeKnown(lower)
    return isDocumentsHeader(lower) && !isNeverKnown
  }),
)

async function textOf(
  header: ResponseHeader,
  response: CoreResponse,
  context: HeaderContext,
): Promise<string | undefined> {
  const { schema, validate, example, required } = header
  const name = header.name.toLowerCase()
  const known = knownHeader(name, response, context)
  // A number may be declared as text.
  for (const value of [known, typeof known === 'number' ? String(known) : undefined]) {
    if (value !== undefined && validate(value)) return headerText(value)
  }
  if (isOnlyTrue(name) && !required) return undefined
  if (example !== undefined && validate(example)) return headerText(example)
  const { operation, service, parameters } = context
  const { value, isValid } = await generateDocumentedValue({
    schema,
    validate,
    seed: [service.settings.seed, operation.id, JSON.stringify(parameters), name].join(' '),
    now: generationTime(service),
    place: header.name,
  })
  return isValid ? headerText(value) : headerText(known)
}
