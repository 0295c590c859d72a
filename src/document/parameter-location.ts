import type { ErrorObject } from 'ajv'

/** An error of one branch of a `oneOf`, about an object or about a member of it. */
const OF_BRANCH = /^(.*\/oneOf)\/(\d+)\/(?:required|properties\/(\w+)\/enum)$/

interface BranchError {
  /** The `oneOf`, for one object. */
  readonly choice: string
  /** The branch, for one object. */
  readonly branch: string
  /** The member that has a wrong value; absent when one is missing. */
  readonly member?: string | undefined
}

/**
 * The errors without those that are about another location of a parameter. OpenAPI 3.0's schema has a branch for each value
 * of `in`, and each branch reports errors for a wrong parameter: only the branch of its own location matters. When no branch
 * accepts its location, the location is the mistake.
 */
export function ofOwnLocation(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const known = new Map(errors.map((error) => [error, branchErrorOf(error)]))
  const all = [...known.values()].filter((error) => error !== undefined)
  const refusing = new Set(all.flatMap(({ branch, member }) => (member === 'in' ? [branch] : [])))
  const hasOwn = new Set(
    all.flatMap(({ branch, choice }) => (refusing.has(branch) ? [] : [choice])),
  )

  return errors.filter((error) => {
    const { branch = '', choice = '', member } = known.get(error) ?? {}
    return !refusing.has(branch) || (member === 'in' && !hasOwn.has(choice))
  })
}

function branchErrorOf({ schemaPath, instancePath }: ErrorObject): BranchError | undefined {
  const [, oneOf, number, member] = OF_BRANCH.exec(schemaPath) ?? []
  if (oneOf === undefined) return undefined
  const owner = member === undefined ? instancePath : instancePath.slice(0, -member.length - 1)
  const choice = `${owner} ${oneOf}`

  return { choice, branch: `${choice} ${number}`, member }
}
