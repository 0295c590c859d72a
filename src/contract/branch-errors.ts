import { areEqual, getOwn, isObject } from '../validation/objects.ts'
import type { Schema, ValidationError } from './contract.ts'
import { itemsOf, parsePointer, propertiesOf, requiredNames, withBranches } from './schema.ts'

/** More errors than these are left as they are. */
const MOST_ERRORS = 500

/**
 * The errors of a value without those of the alternatives that its client hardly meant: of each `oneOf` and `anyOf`, the errors of the nearest
 * branch stay. That is the one whose constants the value has, else the one with the fewest errors, else the one that has most of its properties.
 */
export function nearestErrors(
  errors: readonly ValidationError[],
  schema: Schema,
  value: unknown,
): readonly ValidationError[] {
  if (errors.length > MOST_ERRORS) return errors
  let told: readonly ValidationError[] = []
  for (const error of errors) {
    const branches = branchesAt(schema, error)
    told = branches.length > 0 ? withNearest(told, error, { branches, value }) : [...told, error]
  }
  return told
}

/** The alternatives of which an error says that none matches. */
function branchesAt(
  schema: Schema,
  { keyword, instancePath, params }: ValidationError,
): readonly Schema[] {
  const isNone =
    keyword === 'anyOf' || (keyword === 'oneOf' && !Array.isArray(params.passingSchemas))
  if (!isNone) return []
  const part = partAt(schema, parsePointer(instancePath))
  return part ? withBranches(part).flatMap((one) => one[keyword] ?? []) : []
}

function withNearest(
  before: readonly ValidationError[],
  error: ValidationError,
  { branches, value }: { readonly branches: readonly Schema[]; readonly value: unknown },
): readonly ValidationError[] {
  const { instancePath: start } = error
  const inside = before.filter(
    ({ instancePath: path }) => path === start || path.startsWith(`${start}/`),
  )
  const part = parsePointer(start).reduce(innerOf, value)
  const names = isObject(part) ? Object.keys(part) : []
  const judged = branches.map((branch) => {
    const own = inside.filter((one) => isOf(one, branch, start))
    const shared = names.filter((name) => propertiesOf(branch).has(name))
    const others = own.filter((one) => isOtherKind(one, start))
    return { own, others, ranks: [others.length, own.length, -shared.length] }
  })
  const [nearest] = judged
    .filter(({ own }) => own.length > 0)
    .sort((one, other) => compare(one.ranks, other.ranks))
  if (!nearest) return [...before, error]
  const ofBranches = new Set(judged.flatMap(({ own }) => own))
  const kept = new Set(unknownKind(judged) ?? onlyOnce(nearest.own))

  return [...before.filter((one) => !ofBranches.has(one) || kept.delete(one)), ...kept]
}

function innerOf(outer: unknown, name: string): unknown {
  if (Array.isArray(outer)) return outer[Number(name)]
  return isObject(outer) ? getOwn(outer, name) : undefined
}

/** The error of a value whose constant is none of those of the branches; `undefined` where it is one of them, or there is none. */
function unknownKind(
  judged: readonly { readonly others: readonly ValidationError[] }[],
): readonly ValidationError[] | undefined {
  const found = judged.map(({ others }) => others.find(({ keyword }) => keyword !== 'type'))
  const [first] = found
  if (!first || !found.every((one) => one?.instancePath === first.instancePath)) return undefined
  const values = found.flatMap((one) => one?.params.allowedValues ?? [one?.params.allowedValue])

  return [{ ...first, keyword: 'enum', params: { allowedValues: [...new Set(values)] } }]
}

/** Errors, each once: branches that require the same report the same. */
function onlyOnce(errors: readonly ValidationError[]): readonly ValidationError[] {
  return errors.filter(
    (error, at) =>
      errors.findIndex(
        (one) =>
          one.instancePath === error.instancePath &&
          one.keyword === error.keyword &&
          areEqual(one.params, error.params),
      ) === at,
  )
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((rank, at) => rank - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0
}

/** Whether an error says that the value is of another kind: of another type, or with another constant. */
function isOtherKind({ keyword, instancePath, params }: ValidationError, start: string): boolean {
  if (keyword === 'type') return instancePath === start
  const isConstant =
    keyword === 'const' || (keyword === 'enum' && [params.allowedValues].flat().length === 1)
  return isConstant && instancePath.lastIndexOf('/') === start.length
}

/** Whether an error is one of a branch of the schema at a place. */
function isOf(
  { keyword, instancePath, params }: ValidationError,
  branch: Schema,
  start: string,
): boolean {
  const part = partAt(branch, parsePointer(instancePath.slice(start.length)))
  if (!part) return false
  if (keyword === 'required') return requiredNames(part).has(String(params.missingProperty))
  return withBranches(part).some((one) => {
    if (keyword === 'enum') return areEqual(one.enum, params.allowedValues)
    if (keyword === 'const') return areEqual(one.const, params.allowedValue)
    if (keyword === 'type') return areEqual([one.type].flat(), [params.type].flat())
    return one[keyword] !== undefined
  })
}

function partAt(schema: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (outer, name) =>
      outer && (propertiesOf(outer).get(name) ?? (/^\d+$/.test(name) ? itemsOf(outer) : undefined)),
    schema,
  )
}
