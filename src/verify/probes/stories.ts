import type { Operation } from '../../contract/contract.ts'
import { parseTemplate } from '../../contract/path-pattern.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isSuccess } from '../checks/evaluate.ts'
import {
  changedCheck,
  doneCheck,
  foundCheck,
  goneCheck,
  hasAbsence,
  listedCheck,
} from '../checks/story-checks.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import {
  collectionTarget,
  createdId,
  isItemOf,
  isSamePath,
  itemTarget,
} from '../requests/record-address.ts'
import type { Session } from '../requests/session.ts'
import { validRequest } from '../requests/valid-request.ts'
import type { BoundResource } from '../resource-operations.ts'
import { withOtherValues } from '../test-data/own-values.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/**
 * What happens to one record of a resource below a parent, in envelopes, or with ids of its own: it is created, read and listed;
 * created, changed and read; created, removed and not found. Each story creates a record of its own.
 */
export function storyProbes({ bindings }: BoundResource): Probe[] {
  const { create } = bindings
  if (!create?.operation.body) return []
  const onItem = (binding: ResourceBinding | undefined): ResourceBinding | undefined =>
    binding && isItemOf(create.operation, binding.operation) ? binding : undefined
  const read = onItem(bindings.read)
  const list =
    bindings.list && isSamePath(bindings.list.operation, create.operation)
      ? bindings.list
      : undefined
  const changes = [onItem(bindings.update), onItem(bindings.replace)]
  const remove = onItem(bindings.remove)

  return [
    ...(read || list ? [creationStory(create, read, list)] : []),
    ...changes.flatMap((change) => (change ? [changeStory(create, change, read)] : [])),
    ...(remove ? [removalStory(create, remove, read)] : []),
  ]
}

function creationStory(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  list: ResourceBinding | undefined,
): Probe {
  return story(ORDER.create, create, [
    ...(read ? [{ binding: read, check: foundCheck(create, read) }] : []),
    ...(list ? [{ binding: list, check: listedCheck(create, list) }] : []),
  ])
}

function changeStory(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding | undefined,
): Probe {
  return story(ORDER.change, create, [
    { binding: change, check: doneCheck(change, 'changes a created record') },
    ...(read ? [{ binding: read, check: changedCheck(change, read) }] : []),
  ])
}

function removalStory(
  create: ResourceBinding,
  remove: ResourceBinding,
  read: ResourceBinding | undefined,
): Probe {
  return story(ORDER.remove, create, [
    { binding: remove, check: doneCheck(remove, 'removes a created record') },
    ...(read && hasAbsence(read) ? [{ binding: read, check: goneCheck(remove, read) }] : []),
  ])
}

/** A request for the created record or its collection, and what it shows. */
interface Step {
  readonly binding: ResourceBinding
  readonly check: Probe['checks'][number]
}

function story(order: number, create: ResourceBinding, steps: readonly Step[]): Probe {
  return {
    order,
    maxRequests: 1 + steps.length,
    requires: 'writes',
    checks: steps.map(({ check }) => check),
    send: (session) => tell(session, create, steps),
  }
}

async function tell(
  session: Session,
  create: ResourceBinding,
  steps: readonly Step[],
): Promise<ProbeResponse[]> {
  const request = await validRequest(create.operation, session)
  const created = await session.send({ ...request, isValid: true })
  const id = isSuccess(created) ? createdId(created, create) : undefined
  const responses = [created]
  const onItem = steps.filter(({ binding }) => isItemOf(create.operation, binding.operation))
  if (id === undefined || !onItem.every(({ binding }) => isIdFor(id, binding.operation)))
    return responses
  for (const { binding } of steps) {
    const { operation } = binding
    const valid = withOtherValues(await validRequest(operation, session), binding)
    const [, query] = valid.target.split('?')
    const path = isItemOf(create.operation, operation)
      ? itemTarget(created, operation, id)
      : collectionTarget(created, operation)
    const target = query === undefined ? path : `${path}?${query}`
    responses.push(await session.send({ ...valid, target, isValid: true }))
  }
  return responses
}

/** Whether the path of one record may contain an id. A client may have chosen one for which the document has no path. */
function isIdFor(id: string, { path, parameters }: Operation): boolean {
  const name = parseTemplate(path).names.at(-1)
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name)

  return !parameter || parameter.validate(id) || parameter.validate(Number(id))
}
