import { once } from '../validation/objects.ts'
import type { MediaType, Operation, OperationResponse } from './contract.ts'
import { isJson } from './is-json.ts'

/** What the document says about the response of a status. */
export type DocumentedResponse = Omit<OperationResponse, 'status'>

/** The documented response of a status: its own, else that of its range, else `default`. */
export function documentedResponse(
  { responses, otherResponses = [] }: Pick<Operation, 'responses' | 'otherResponses'>,
  status: number,
): DocumentedResponse | undefined {
  const range = `${Math.floor(status / 100)}XX`
  return (
    responses.find((response) => response.status === status) ??
    otherResponses.find((response) => response.range === range) ??
    otherResponses.find((response) => response.range === 'default')
  )
}

/** Where the document describes a status: under the status, else under its range, else under `default`. */
export function documentedKey(
  { responses, otherResponses = [] }: Pick<Operation, 'responses' | 'otherResponses'>,
  status: number,
): string | undefined {
  if (responses.some((response) => response.status === status)) return String(status)
  const ranges = otherResponses.map(({ range }) => range)
  const own = `${Math.floor(status / 100)}XX`

  return ranges.find((range) => range === own) ?? ranges.find((range) => range === 'default')
}

/** The content of a response in each media type, JSON first. A response with a schema and no content is JSON. */
export const contentOf: (response: DocumentedResponse) => readonly MediaType[] = once(
  ({ content, schema, validate, example }) => {
    if (content) return content
    if (!schema) return []
    return [
      {
        mediaType: 'application/json',
        schema,
        ...(validate && { validate }),
        ...(example !== undefined && { examples: [{ value: example }] }),
      },
    ]
  },
)

/** The content that describes a response best: JSON, else the first with a schema. */
export function mainContentOf(response: DocumentedResponse): MediaType | undefined {
  const content = contentOf(response)
  return content.find(({ mediaType }) => isJson(mediaType)) ?? content.find(({ schema }) => schema)
}
