import { problems } from '../http/problem.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'

/** Runs `task`. A UsageError that it throws gets the field of the request as its location. */
export function withLocation<T>(field: string, task: () => T): T {
  try {
    return task()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError({ ...error, location: field, cause: error })
  }
}

/** Throws a 404 for an unknown name in a path. `helpWithoutNames` says what to do when no name is known. */
export function refuseUnknownName(
  what: string,
  name: string,
  known: readonly string[],
  helpWithoutNames?: string,
): void {
  if (known.includes(name)) return
  const help = known.length === 0 ? helpWithoutNames : undefined
  const error = new UsageError({
    code: 'not_found',
    task: `find the ${what}`,
    ...unknownName(what, name, known),
    help,
  })
  throw problems.unknownName(error)
}

/** Runs `task`. A UsageError that it throws becomes the 404 of an unknown name in a path. */
export function withUnknownName<T>(what: string, task: () => T): T {
  try {
    return task()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { reason, help, suggestion, allowed } = error
    throw problems.unknownName(
      new UsageError({
        code: 'not_found',
        task: `find the ${what}`,
        ...{ reason, help, suggestion, allowed },
      }),
    )
  }
}
