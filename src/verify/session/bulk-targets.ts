import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { itemsOf, propertiesOf } from '../../contract/schema.ts'
import { isObject, once } from '../../validation/objects.ts'
import type { ProbeRequest } from '../messages.ts'
import { isSameTemplate, type RecordPath, segmentsOf } from '../record-address.ts'
import { requiredOf, typeOf } from '../test-data/values.ts'
import { itemTemplateElsewhere } from './item-templates.ts'

/** An operation that does with several records what another one does with one: their ids are in its body. */
export interface BulkAction {
  readonly operation: Operation
  /** The operation that does the same with one record. */
  readonly single: Operation
  /** The name of the list of ids. */
  readonly name: string
  readonly items: Schema
  /** The path template of one record. */
  readonly template: readonly string[]
}

/** The words of a path that say that an operation is about several records. */
const SEVERAL = /^(bulk|batch|many|multiple|all)$/

/** The bulk actions of a document, by their operations. */
const bulkActionsIn = once(({ operations }: Contract): ReadonlyMap<Operation, BulkAction> => {
  const found = operations.flatMap((operation) => {
    const action = bulkActionOf(operation, operations)
    return action ? [[operation, action] as const] : []
  })
  return new Map(found)
})

/** The bulk actions on the records that an operation creates. */
export function bulkActionsOn(contract: Contract, create: Operation): readonly BulkAction[] {
  const elsewhere = itemTemplateElsewhere(contract, create)
  const collection = elsewhere ? elsewhere.slice(0, -1) : segmentsOf(create.path)
  return [...bulkActionsIn(contract).values()].filter(({ template }) =>
    isSameTemplate(template.slice(0, -1), collection),
  )
}

/** The paths of the records whose ids are in the body of a bulk action; `undefined` for other requests. */
export function recordsNamedIn(
  contract: Contract,
  { operation, body }: ProbeRequest,
): readonly RecordPath[] | undefined {
  const action = operation && bulkActionsIn(contract).get(operation)
  const value = action && parseJsonText(body ?? '')
  // Anything but ids could widen what it acts on.
  if (!action || !isObject(value) || Object.keys(value).length !== 1) return undefined
  const ids = value[action.name]
  if (!Array.isArray(ids) || ids.length === 0) return undefined
  const [base = ''] = action.operation.basePaths ?? []
  return ids.map((id) => [base, ...action.template.slice(0, -1), encodeURIComponent(String(id))])
}

function bulkActionOf(operation: Operation, all: readonly Operation[]): BulkAction | undefined {
  const { path, method, body } = operation
  if (!body || method === 'GET' || path.includes('{') || /[?#:]/.test(path)) return undefined
  const properties = propertiesOf(body.schema)
  const [list] = [...properties].filter(
    ([name, one]) => /^(ids|.*(_ids|Ids))$/.test(name) && itemsOf(one) !== undefined,
  )
  const items = list && itemsOf(list[1])
  if (!list || !items || !['string', 'integer'].includes(typeOf(items) ?? '')) return undefined
  if (requiredOf(body.schema).some((name) => name !== list[0])) return undefined
  const words = segmentsOf(path).flatMap((one) => one.split(/[-_]/))
  const doing = words.filter((one) => !SEVERAL.test(one))
  const single = all.find((one) => {
    const segments = segmentsOf(one.path)
    const at = segments.findIndex((segment) => segment.includes('{'))
    const rest = segments.slice(at + 1)
    const own = [...segments.slice(0, at).flatMap((segment) => segment.split(/[-_]/)), ...rest]
    const isSame = at > 0 && rest.length === 1 && own.join(' ') === doing.join(' ')
    const isRemoval =
      one.method === 'DELETE' &&
      rest.length === 0 &&
      at > 0 &&
      new RegExp(`^${own.join(' ')} (delete|remove)$`).test(doing.join(' '))
    return (isSame && one.method === 'POST' && !one.body) || isRemoval
  })
  if (!single) return undefined
  const segments = segmentsOf(single.path)
  const template = segments.slice(0, segments.findIndex((segment) => segment.includes('{')) + 1)
  return { operation, single, name: list[0], items, template }
}
