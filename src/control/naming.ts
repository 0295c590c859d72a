import { problems } from '../http/problem.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'

/** Does what a field of the request asks for. A UsageError that comes of it is made to name the field. */
export function withFieldPrefix<T>(field: string, deed: () => T): T {
  try {
    return deed()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.code, `${field}: ${error.message}`, { cause: error })
  }
}

/** Throws a 404 for a name in a path that is unknown. */
export function refuseUnknownName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  throw problems.notFound(`There is no ${what} "${name}". ${suggest(name, known)}`)
}
