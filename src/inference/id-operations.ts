import type { Operation } from '../contract/contract.ts'
import { shapeOf } from './path-shape.ts'

/** The operations whose paths contain a template with a parameter at its end, by that template without the names of its parameters. */
export type OperationsByTemplate = ReadonlyMap<string, readonly Operation[]>

/** The operations by all templates that their paths begin with and that end with a parameter. */
export function groupByTemplate(operations: readonly Operation[]): OperationsByTemplate {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    for (const template of templatesIn(shapeOf(operation.path).path)) {
      const group = groups.get(template) ?? []
      groups.set(template, group)
      group.push(operation)
    }
  }
  return groups
}

/** Operations deeper below a record rarely say more about its id, and each costs time. */
const MAX_OPERATIONS = 20

/** The operations whose paths contain the id of a record: those on the path of the record, then those below it. */
export function operationsWith(
  itemPath: string,
  groups: OperationsByTemplate,
): readonly Operation[] {
  const found = groups.get(withoutNames(itemPath)) ?? []
  const depth = ({ path }: Operation): number => path.split('/').length

  return [...found].sort((one, other) => depth(one) - depth(other)).slice(0, MAX_OPERATIONS)
}

function templatesIn(path: string): readonly string[] {
  const segments = withoutNames(path).split('/')
  return segments.flatMap((segment, at) =>
    segment === UNNAMED ? [segments.slice(0, at + 1).join('/')] : [],
  )
}

/** A parameter without its name: operations on the same path may call it differently. */
const UNNAMED = '{}'

function withoutNames(path: string): string {
  return path.replace(/\{[^{}/]+\}/g, UNNAMED)
}
