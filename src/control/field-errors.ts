import { problems } from '../http/problem.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'

/** Does what a field of the request asks for. A UsageError that comes of it is made to name the field. */
export function withLocation<T>(field: string, deed: () => T): T {
  try {
    return deed()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError({ ...error, location: field, cause: error })
  }
}

/** Throws a 404 for a name in a path that is unknown. */
export function refuseUnknownName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const error = new UsageError({
    code: 'not_found',
    task: `find the ${what}`,
    ...unknownName(what, name, known),
  })
  throw problems.unknownName(error)
}
