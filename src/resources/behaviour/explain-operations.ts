import type { Contract, Operation } from '../../contract/contract.ts'
import { EVENT_STREAM } from '../../contract/event-stream.ts'
import { EVERY_ID, type OperationHints, type StatelessReason } from '../../contract/hints.ts'
import { casesOf } from '../../contract/operation-cases.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import { describeAnswer } from '../../responses/documented-answer.ts'
import { type Binding, bind, bindingOf, type ResourceBinding } from '../bind.ts'
import { shownBy } from '../resource.ts'
import { aliasOf } from '../views/aliases.ts'

/** How an operation is answered and why. `explain`, the control interface and its client give the same. */
export interface ExplainedOperation {
  /** The operation's id. */
  readonly operation: string
  readonly method: string
  /** The path below the base path, with the names of its parameters. */
  readonly path: string
  /** What the operation does with records, such as `list`; `stateless` when it uses none. */
  readonly behaviour: Binding['action']
  /** The name of the resource; absent for a stateless operation. */
  readonly resource?: string
  /** The collection or record that is used, or why the operation is stateless. */
  readonly reason: string
  readonly deprecated: boolean
}

/** Explains the operations of a contract, in the order of its document. */
export function explainOperations(contract: Contract): readonly ExplainedOperation[] {
  return bind(contract).map(explain)
}

/** A case of an operation. */
export interface ExplainedCase extends ExplainedOperation {
  /** What requests it is for, such as `body.method is "remove"`. */
  readonly when: string
}

/** The same of the cases of an operation. */
export function explainCases(contract: Contract, operation: Operation): readonly ExplainedCase[] {
  const cases = operation.hints?.cases ?? []
  return casesOf(operation).map((one, at) => {
    const conditions = Object.entries(cases[at]?.when ?? {}).map(
      ([name, wanted]) => `${name} is ${JSON.stringify(wanted)}`,
    )
    return {
      ...explain(bindingOf(contract, one)),
      path: operation.path,
      when: conditions.join(' and '),
    }
  })
}

/** How an operation is answered and why, by its binding. */
export function explain(binding: Binding): ExplainedOperation {
  const { operation, action: behaviour } = binding
  const { id, method, path, deprecation } = operation
  const resource = 'resource' in binding && { resource: binding.resource.name }
  const reason = describeBinding(binding)

  return { operation: id, method, path, behaviour, ...resource, reason, deprecated: !!deprecation }
}

/** How an operation is answered and why, as `explain` prints it. */
export function describeBinding(binding: Binding): string {
  const { operation, action } = binding
  const streamed = describeStream(operation)
  if (action !== 'stateless') {
    const more = streamed && `, or ${streamed} if the client asks for ${EVENT_STREAM}`
    return `${operation.method} on ${describeTarget(binding)}${more ?? ''}`
  }
  if (streamed) return `${streamed}, as ${EVENT_STREAM}`

  return `${describeAnswer(operation)}, because ${describeReason(binding.reason, operation)}`
}

/** What an operation streams, such as `what happens to orders`; `undefined` when it streams nothing. */
function describeStream({ hints }: Operation): string | undefined {
  const names = [hints?.streams ?? []].flat()
  return names.length === 0 ? undefined : `what happens to ${names.join(' and ')}`
}

const IN_TRASH: Readonly<Record<NonNullable<OperationHints['trash']>, string>> = {
  move: 'moves it to the trash',
  restore: 'takes it out of the trash',
  shown: 'of those in the trash',
}

const MARKS = { add: 'marked', remove: 'no longer marked', shown: 'if marked' } as const

function describeTarget(binding: ResourceBinding): string {
  const { operation, action, resource, hints } = binding
  const { set, from, after, content, trash, mark } = hints
  const isCollection = action === 'list' || action === 'create'
  const isAll = hints.ids === EVERY_ID
  const named = hints.ids === undefined || isAll ? '' : `, named by ${hints.ids}`
  const record = isAll
    ? `all records of ${resource.name} that the query selects`
    : describeRecord({ operation, resource, hints })
  const effects = [
    ...(set ? [`sets ${listed(set)}`] : []),
    ...(content ? ['the file of the record'] : []),
    ...(trash ? [IN_TRASH[trash]] : []),
    ...(hints.members === undefined ? [] : ['those of which the caller is a member']),
    ...(mark ? [`${MARKS[mark.change ?? 'shown']} by the caller as ${mark.name}`] : []),
    ...(from ? [`needs ${listed(from)}`] : []),
    ...(after ? after.map((change) => `sets ${listed(change.set)} after ${change.delay}`) : []),
  ]

  const target = isCollection ? `the collection ${collectionOf(binding)}` : record
  const whole = aliasOf(binding) ? `, an alias of ${decodeURI(resource.path)}` : ''
  const shown = shownBy(resource)
  const members = shown ? `, whose records are those of ${decodeURI(shown.path)}` : ''

  return [`${target}${named}${whole}${members}${describeWithin(binding)}`, ...effects].join('; ')
}

/** The records at other paths that a collection is below. */
function describeWithin(binding: ResourceBinding): string {
  const { within = [] } = aliasOf(binding)?.at ?? binding.resource
  const parents = within.flatMap(({ parameter, of }) => {
    const parent = of()
    return parent ? `the record of ${decodeURI(parent.path)} that {${parameter}} names` : []
  })
  return parents.length === 0 ? '' : `, below ${parents.join(' and ')}`
}

/** The record of an operation, and how it is found. */
function describeRecord({
  operation,
  resource,
  hints,
}: Pick<ResourceBinding, 'operation' | 'resource' | 'hints'>): string {
  if (resource.isSingle) return `the only record of ${operation.path}`
  if (hints.caller) return `the caller's record of ${resource.name}`
  const isFound = resource.idParameter !== undefined && hints.ids === undefined

  return `a record of ${resource.name}${isFound ? `, found by ${idOf(resource)}` : ''}`
}

/** The path of the collection: that of the operation, unless that leads on, as `/books/search` does. */
function collectionOf(binding: ResourceBinding): string {
  const { path } = binding.operation
  const own = decodeURI((aliasOf(binding)?.at ?? binding.resource).path)

  return shapeOf(path).path.startsWith(`${own}/`) ? own : path
}

/** A hidden id is only in the path. */
function idOf({ id, idParameter }: ResourceBinding['resource']): string {
  return id.startsWith('$') ? `{${idParameter}} in its path` : `its ${id}`
}

function listed(values: Readonly<Record<string, unknown>>): string {
  return Object.keys(values).join(' and ')
}

/** Why an operation reads and changes no record. */
export function describeReason(
  reason: StatelessReason,
  { method, path, hints }: Contract['operations'][number],
): string {
  if (hints?.streams)
    return 'it streams events to a client that asks for them, where the state is not in a store'
  switch (reason) {
    case 'no-record':
      return `no response of ${path} has the schema of a record`
    case 'no-list':
      return 'its response contains no list of the records'
    case 'no-item':
      return 'its response contains no record'
    case 'bulk':
      return 'it changes many records at once'
    case 'mixed':
      return 'each item of its body says what it does, and only handlers can do that'
    case 'search':
      return 'it searches, and what it finds is not known'
    case 'no-id-generator':
      return `ids of ${path} cannot be generated`
    case 'refused-ids':
      return `the path parameter of ${method} ${path} does not accept the ids that can be generated`
    case 'hint':
      return 'its hints say so'
    case 'no-action':
      return 'its path and schemas tell no action on records'
  }
}
