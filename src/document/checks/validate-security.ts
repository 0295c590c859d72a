import { type Document, followRefs, locationOf } from '../document.ts'
import type { Mistake } from '../mistake.ts'
import { operationsOf } from '../operations.ts'
import { type LocatedMistake, readSecurity } from '../security.ts'

/** Finds mistakes in the security schemes of a document, and in what it and its operations require of them. */
export function validateSecurity(document: Document): Mistake[] {
  const { mistakes, requirementOf } = readSecurity(
    document.root,
    (value) => followRefs(document, { value, pointer: [] })?.value,
  )
  const ofOperations = operationsOf(document).flatMap(
    ({ operation, pointer }) => requirementOf(operation, pointer).mistakes,
  )

  return [...mistakes, ...ofOperations].map((mistake) => toMistake(mistake, document))
}

function toMistake({ pointer, part, ...mistake }: LocatedMistake, document: Document): Mistake {
  return { ...mistake, location: locationOf(document, pointer, part), detail: 'complete' }
}
