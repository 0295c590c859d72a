import { problems } from '../problem.ts'
import { suggest, UsageError } from '../usage-error.ts'

/** Does what a field asks for. A UsageError that it brings names the field, too. */
export function naming<T>(field: string, deed: () => T): T {
  try {
    return deed()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.code, `${field}: ${error.message}`, { cause: error })
  }
}

/** Throws the 404 of a path that names what there is not. */
export function refuseUnknownName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  throw problems.notFound(`There is no ${what} "${name}". ${suggest(name, known)}`)
}
