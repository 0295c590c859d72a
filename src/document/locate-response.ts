import type { MissingResponse } from '../contract/missing-response.ts'
import { type Document, locationOf } from './document.ts'
import type { Place } from './mistake.ts'
import { operationsOf } from './operations.ts'

/** The place of the operation of a response. */
export function locateResponse(document: Document, { method, path }: MissingResponse): Place {
  const entry = operationsOf(document).find(
    (one) =>
      one.method === method && (one.template === path || one.template.startsWith(`${path}?`)),
  )
  return locationOf(document, entry?.pointer ?? ['paths'], 'key')
}
