import type { Contract, Operation } from '../../contract/contract.ts'
import { bindingOf } from '../../resources/bind.ts'
import { typeOf } from '../test-data/schema-keywords.ts'
import { isParameter, segmentsOf } from './concrete-path.ts'

/** The last segment of a path that names something to do, or something that exists once, rather than a collection. */
const NO_COLLECTION =
  /(^|[-_.])(activate|apply|approve|authenticate|batch|bulk|cancel|change|clear|close|config(uration)?|deactivate|delete|disable|enable|execute|export|filter|find|flush|import|lock|login|logout|lookup|maintenance|merge|migrate|move|off|on|preferences?|publish|purge|query|refresh|reject|reload|remove|reset|restart|restore|revoke|rotate|run|search|send|set|settings?|shutdown|sign[-_]?(in|out)|start|stop|sync|toggle|truncate|unlock|update|upload|wipe)([-_.]|$)/

/**
 * The POST operations that create one record in a collection: the path of one record is below theirs, or the document has the list
 * of the records that they create. Only these may run without a record of this run.
 */
export class PlainCreations {
  readonly #operations: readonly Operation[]

  constructor(contract: Contract) {
    this.#operations = contract.operations.filter((one) => isPlainCreation(one, contract))
  }

  has(operation: Operation): boolean {
    return this.#operations.includes(operation)
  }

  /** The operation that creates records at a path template, such as `/orgs/{org}`. */
  at(template: readonly string[], operation: Operation): Operation | undefined {
    return this.#operations.find(
      (one) =>
        one.basePaths?.[0] === operation.basePaths?.[0] &&
        isSameTemplate(segmentsOf(one.path), template.slice(0, -1)),
    )
  }
}

function isPlainCreation(operation: Operation, contract: Contract): boolean {
  const { method, path, conditions = [], body } = operation
  const segments = segmentsOf(path)
  const last = segments.at(-1) ?? ''
  if (method !== 'POST' || conditions.length > 0 || /[?#]/.test(path)) return false
  if (last === '' || /[{}:]/.test(last) || NO_COLLECTION.test(words(last))) return false
  // A list in the body creates or changes many records at once.
  if (body && typeOf(body.schema) === 'array') return false
  const binding = bindingOf(contract, operation)
  if (binding.action === 'stateless') return hasItem()
  if (binding.action !== 'create' || binding.resource.isSingle) return false
  return hasItem() || hasList()

  function hasItem(): boolean {
    return contract.operations.some((one) => {
      const other = segmentsOf(one.path)
      const next = other[segments.length]
      return (
        next !== undefined &&
        isParameter(next) &&
        isSameTemplate(other.slice(0, segments.length), segments)
      )
    })
  }

  function hasList(): boolean {
    return contract.operations.some(
      (one) =>
        isSameTemplate(segmentsOf(one.path), segments) &&
        bindingOf(contract, one).action === 'list',
    )
  }
}

/** `bulkDelete` as `bulk-delete`. */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

/** Whether two templates are the same but for the names of their parameters. */
export function isSameTemplate(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((segment, at) => {
      const counterpart = other[at] ?? ''
      return segment === counterpart || (isParameter(segment) && isParameter(counterpart))
    })
  )
}
