import type { ErrorObject } from 'ajv'

/** The `schemaPath` of an error in one branch of a `oneOf`, about an object or about a property of it. */
const BRANCH_ERROR = /^(.*\/oneOf)\/(\d+)\/(?:required|properties\/(\w+)\/enum)$/

interface BranchError {
  /** Identifies the `oneOf` and the object. */
  readonly oneOf: string
  /** Identifies the branch of the `oneOf` and the object. */
  readonly branch: string
  /** The property whose value is wrong; absent when a property is missing. */
  readonly property?: string | undefined
}

/**
 * Removes the errors about other locations than a parameter's own. OpenAPI 3.0's schema has one branch for each value of `in`,
 * and every branch reports errors for an invalid parameter. Only the branch of the parameter's own location is relevant. When
 * no branch accepts the location, the location itself is the mistake.
 */
export function withoutOtherLocations(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const branchErrors = new Map(errors.map((error) => [error, parseBranchError(error)]))
  const all = [...branchErrors.values()].filter((error) => error !== undefined)
  const rejecting = new Set(
    all.flatMap(({ branch, property }) => (property === 'in' ? [branch] : [])),
  )
  const withOwnBranch = new Set(
    all.flatMap(({ branch, oneOf }) => (rejecting.has(branch) ? [] : [oneOf])),
  )

  return errors.filter((error) => {
    const { branch = '', oneOf = '', property } = branchErrors.get(error) ?? {}
    return !rejecting.has(branch) || (property === 'in' && !withOwnBranch.has(oneOf))
  })
}

function parseBranchError({ schemaPath, instancePath }: ErrorObject): BranchError | undefined {
  const [, keyword, index, property] = BRANCH_ERROR.exec(schemaPath) ?? []
  if (keyword === undefined) return undefined
  const object = property === undefined ? instancePath : instancePath.slice(0, -property.length - 1)
  const oneOf = `${object} ${keyword}`

  return { oneOf, branch: `${oneOf} ${index}`, property }
}
